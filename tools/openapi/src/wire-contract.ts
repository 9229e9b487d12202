import { openApiDocument } from '@searchgate/core/openapi';

/** What clients rely on, by its owner: an operation, or a schema of what they send or receive. Facts are sorted, and have no spaces. */
export type WireContract = Readonly<Record<string, string>>;

type Json = Readonly<Record<string, unknown>>;
/** From the view of a client. */
type Direction = 'sends' | 'receives';

const METHODS = ['get', 'post', 'delete'];
/** Schemas beside each other: a value fits one or all of them. */
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];

/** Facts of a field or a parameter that has to be sent, or that always comes. */
const REQUIRED = '!';

/** The contract of a gateway with all endpoints of its own, and none of the forms of other vendors. */
export function presentContract(): WireContract {
  return contractOf(openApiDocument({ endpoints: { openapi: 'key', usage: true, asyncAnswers: true } }));
}

/** The facts of a document. Limits and patterns are none: they belong to models and providers. */
export function contractOf(document: object): WireContract {
  const { paths, components } = document as { readonly paths: Json; readonly components: Json };
  const facts = new Map<string, Set<string>>();
  const tell = (owner: string, fact: string) => {
    facts.set(owner, (facts.get(owner) ?? new Set()).add(fact.replaceAll(' ', '_')));
  };

  function tellSchema(owner: string, path: string, schema: Json, direction: Direction): void {
    const { $ref, type, properties = {}, items, required = [], additionalProperties } = schema;
    if (typeof $ref === 'string') {
      const name = $ref.split('/').at(-1) ?? '';
      const other = `${direction} ${name}`;
      tell(owner, `${path}:${name}`);
      if (facts.has(other)) return;
      facts.set(other, new Set());
      return tellSchema(other, '', (components['schemas'] as Json)[name] as Json, direction);
    }
    for (const each of [type ?? []].flat()) tell(owner, `${path}:${String(each)}`);
    for (const value of [schema['enum'] ?? [], 'const' in schema ? [schema['const']] : []].flat())
      tell(owner, `${path}=${JSON.stringify(value)}`);
    for (const name of required as string[]) tell(owner, `${path}.${name}${REQUIRED}`);
    for (const [name, field] of Object.entries(properties as Json))
      tellSchema(owner, `${path}.${name}`, field as Json, direction);
    for (const [inner, mark] of [
      [items, '[]'],
      [additionalProperties, '.*'],
    ] as const)
      if (typeof inner === 'object') tellSchema(owner, `${path}${mark}`, inner as Json, direction);
    for (const branch of BRANCHES.flatMap((name) => (schema[name] ?? []) as Json[]))
      tellSchema(owner, path, branch, direction);
  }

  function tellContent(owner: string, { content = {} }: { readonly content?: Json }, direction: Direction): void {
    for (const [type, media] of Object.entries(content))
      for (const name of ['schema', 'x-itemSchema'])
        if (name in (media as Json)) tellSchema(owner, type, (media as Json)[name] as Json, direction);
  }

  function tellOperation(owner: string, { parameters = [], requestBody, responses }: Json): void {
    for (const given of parameters as Json[]) {
      const name =
        String(given['$ref'] ?? '')
          .split('/')
          .at(-1) ?? '';
      const parameter = ((components['parameters'] as Json)[name] ?? given) as Json;
      const place = `${String(parameter['in'])}.${String(parameter['name'])}`;
      tell(owner, place);
      if (parameter['required'] === true) tell(owner, `${place}${REQUIRED}`);
    }
    if (requestBody !== undefined) tellContent(owner, requestBody as Json, 'sends');
    for (const [status, response] of Object.entries(responses as Json)) {
      tell(`${owner} ${status}`, 'status');
      for (const name of Object.keys(((response as Json)['headers'] ?? {}) as Json)) tell(`${owner} ${status}`, name);
      tellContent(`${owner} ${status}`, response as Json, 'receives');
    }
  }

  for (const [path, operations] of Object.entries(paths))
    for (const method of METHODS)
      if (method in (operations as Json)) {
        tell(`${method} ${path}`, 'operation');
        tellOperation(`${method} ${path}`, (operations as Json)[method] as Json);
      }
  const sorted = [...facts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([owner, told]) => [owner, [...told].sort().join(' ')]));
}

/** What a client of the kept contract may stumble over. Additions are no breaks, but for what has to be sent from now on. */
export function breaksOf(kept: WireContract, present: WireContract): string[] {
  return Object.entries(kept).flatMap(([owner, told]) => {
    if (present[owner] === undefined) return [`${owner} is gone`];
    const [before, now] = [told.split(' '), present[owner].split(' ')];
    // What has to be sent may become optional; a schema that nobody sends any more is named by its operations.
    const isSent = !owner.startsWith('receives ') && !/ \d{3}$/.test(owner);
    const gone = before.filter((fact) => !now.includes(fact) && !(isSent && fact.endsWith(REQUIRED)));
    const added = now.filter(
      (fact) => isSent && fact.endsWith(REQUIRED) && !before.includes(fact) && isOfKnown(fact, before),
    );
    return [...gone.map((fact) => `${owner}: ${fact} is gone`), ...added.map((fact) => `${owner}: ${fact} is new`)];
  });
}

/** A new object may have fields that it needs. */
function isOfKnown(fact: string, before: readonly string[]): boolean {
  const parent = fact.slice(0, fact.lastIndexOf('.'));
  return (
    parent === '' ||
    before.some((known) => known === parent || known.startsWith(`${parent}.`) || known.startsWith(`${parent}:`))
  );
}
