import { openApiDocument } from '@searchgate/core/openapi';

/** What clients rely on, by its owner: an operation, or a schema of what they send or receive. Facts are sorted, and have no spaces. */
export type WireContract = Readonly<Record<string, string>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema | boolean;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly 'x-itemSchema'?: Schema }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly headers?: object }>>;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** A place in what clients send or receive. */
interface Place {
  readonly owner: string;
  readonly path: string;
  readonly direction: 'sends' | 'receives';
}

/** Facts of a field or a parameter that has to be sent, or that always comes. */
const REQUIRED = '!';

/** The contract of a gateway with all endpoints of its own, and none of the forms of other vendors. */
export function presentContract(): WireContract {
  return contractOf(openApiDocument({ endpoints: { openapi: 'key', usage: true, asyncAnswers: true } }));
}

/** The facts of a document. Limits and patterns are none: they belong to models and providers. */
export function contractOf(document: object): WireContract {
  const { paths, components } = document as Described;
  const facts = new Map<string, Set<string>>();
  const tell = (owner: string, fact: string) => {
    facts.set(owner, (facts.get(owner) ?? new Set()).add(fact.replaceAll(' ', '_')));
  };
  const nameOf = ($ref = '') => $ref.split('/').at(-1) ?? '';

  function tellNamed({ owner, path, direction }: Place, name: string): void {
    const other = `${direction} ${name}`;
    tell(owner, `${path}:${name}`);
    if (facts.has(other)) return;
    facts.set(other, new Set());
    tellSchema({ owner: other, path: '', direction }, components.schemas[name]);
  }

  function tellSchema(place: Place, schema: Schema | boolean | undefined): void {
    if (typeof schema !== 'object') return;
    const { owner, path } = place;
    if (schema.$ref !== undefined) {
      tellNamed(place, nameOf(schema.$ref));
      return;
    }
    for (const type of [schema.type ?? []].flat()) tell(owner, `${path}:${type}`);
    for (const value of [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])])
      tell(owner, `${path}=${JSON.stringify(value)}`);
    for (const name of schema.required ?? []) tell(owner, `${path}.${name}${REQUIRED}`);
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      tellSchema({ ...place, path: `${path}.${name}` }, field);
    tellSchema({ ...place, path: `${path}[]` }, schema.items);
    tellSchema({ ...place, path: `${path}.*` }, schema.additionalProperties);
    // A value fits one or all of them.
    for (const branch of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((each) => each ?? []))
      tellSchema(place, branch);
  }

  function tellContent(owner: string, content: Content['content'], direction: Place['direction']): void {
    for (const [path, { schema, 'x-itemSchema': event }] of Object.entries(content ?? {}))
      for (const each of [schema, event]) tellSchema({ owner, path, direction }, each);
  }

  function tellOperation(owner: string, { parameters = [], requestBody, responses }: Operation): void {
    tell(owner, 'operation');
    for (const given of parameters) {
      const parameter = components.parameters[nameOf(given.$ref)] ?? given;
      const name = `${parameter.in}.${parameter.name}`;
      tell(owner, name);
      if (parameter.required === true) tell(owner, `${name}${REQUIRED}`);
    }
    tellContent(owner, requestBody?.content, 'sends');
    for (const [status, { headers = {}, content }] of Object.entries(responses)) {
      tell(`${owner} ${status}`, 'status');
      for (const name of Object.keys(headers)) tell(`${owner} ${status}`, name);
      tellContent(`${owner} ${status}`, content, 'receives');
    }
  }

  // HEAD is a copy of GET.
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations))
      if (method !== 'head') tellOperation(`${method} ${path}`, operation);
  const sorted = [...facts].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([owner, told]) => [owner, [...told].sort().join(' ')]));
}

/** What may break a client of the kept contract. Additions are no breaks, but for what has to be sent from now on. */
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
