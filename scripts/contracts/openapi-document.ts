/** Any part of a document: the vendors' own, so nothing in it is certain. */
export type Part = unknown;
type PartObject = Readonly<Record<string, Part>>;

/** A request as far as a document can be asked about it. */
export interface AskedRequest {
  readonly method: string;
  readonly url: URL;
}

/** What a document says of some requests, as a document of its own. */
export interface DocumentPart {
  /** The paths in it begin with those of the document's servers, and its one server is `/`. */
  readonly document: PartObject;
  /** Requests it says nothing of. */
  readonly undocumented: readonly AskedRequest[];
}

/**
 * Takes out of a document what it says of some requests, and nothing of replies. Whole documents take long to load; one reference in them that leads
 * nowhere is enough for none to be checked; and with documented errors Prism would not always say what is wrong with a request.
 *
 * @throws Error when what is wanted rests on something that is not in the document.
 */
export function partOf(document: Part, requests: readonly AskedRequest[]): DocumentPart {
  const whole = asObject(document);
  const found = requests.map((request) => ({ request, paths: pathsOf(whole, request) }));
  const paths = Object.fromEntries(found.flatMap(({ paths: matching }) => matching));
  const { openapi, info, security, components } = whole;
  const schemes = asObject(asObject(components)['securitySchemes']);
  const kept = new Map<string, Part>();
  const open = referencesIn(paths);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const name = componentOf(next);
    if (kept.has(name)) continue;
    const component = resolve(whole, name);
    kept.set(name, component);
    open.push(...referencesIn(component));
  }
  return {
    document: {
      openapi: knownVersion(openapi),
      info,
      servers: [{ url: '/' }],
      ...defined({ security }),
      paths,
      components: { ...nested(kept), securitySchemes: schemes },
    },
    undocumented: found.filter(({ paths: matching }) => matching.length === 0).map(({ request }) => request),
  };
}

/** The schema of the JSON body of a request to a part's path; `undefined` when the part has none. */
export function bodySchema(document: Part, { method, url }: AskedRequest): Part {
  const matching = Object.entries(asObject(asObject(document)['paths'])).find(([template]) =>
    pattern(template).test(url.pathname),
  );
  const operation = asObject(asObject(matching?.[1])[method.toLowerCase()]);
  const body = dereference(document, operation['requestBody']);
  return asObject(asObject(body['content'])['application/json'])['schema'];
}

/** What a part is, or what it refers to. */
export function dereference(document: Part, part: Part): PartObject {
  let current = asObject(part);
  while (typeof current['$ref'] === 'string') current = asObject(resolve(document, current['$ref']));
  return current;
}

export function asObject(part: Part): PartObject {
  return typeof part === 'object' && part !== null ? (part as PartObject) : {};
}

function pathsOf(document: PartObject, { method, url }: AskedRequest): [path: string, item: Part][] {
  const servers = Array.isArray(document['servers']) ? (document['servers'] as Part[]) : [{ url: '/' }];
  const items = Object.entries(asObject(document['paths']));
  return servers.flatMap((server) => {
    const base = new URL(String(asObject(server)['url']), url);
    if (base.origin !== url.origin) return [];
    const prefix = base.pathname.replace(/\/$/, '');
    return items
      .filter(([template]) => pattern(prefix + template).test(url.pathname))
      .flatMap(([template, item]): [string, Part][] => {
        const { parameters, [method.toLowerCase()]: operation } = asObject(item);
        if (operation === undefined) return [];
        return [[prefix + template, { ...defined({ parameters }), [method.toLowerCase()]: requestOf(operation) }]];
      });
  });
}

function requestOf(operation: Part): PartObject {
  const { parameters, requestBody, security } = asObject(operation);
  return { ...defined({ parameters, requestBody, security }), responses: { '200': { description: 'Valid.' } } };
}

/** Prism knows no 3.2, whose schemas are those of 3.1. */
function knownVersion(openapi: Part): Part {
  return String(openapi).startsWith('3.2.') ? '3.1.1' : openapi;
}

function defined(parts: PartObject): PartObject {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** `/models/{model}:ask` as an expression. */
function pattern(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

function referencesIn(part: Part): string[] {
  if (Array.isArray(part)) return part.flatMap(referencesIn);
  return Object.entries(asObject(part)).flatMap(([key, value]) => {
    if (key === '$ref' && typeof value === 'string') return [value];
    // Names of schemas are allowed in a mapping too, and mean the same as the references beside it.
    if (key === 'mapping') return Object.values(asObject(value)).filter(isReference);
    return key === 'example' || key === 'examples' ? [] : referencesIn(value);
  });
}

function isReference(value: Part): value is string {
  return typeof value === 'string' && value.startsWith('#/');
}

/** The component that a reference leads into: `#/components/schemas/Tool`. */
function componentOf(reference: string): string {
  const [component] = /^#\/components\/[^/]+\/[^/]+/.exec(reference) ?? [];
  if (component === undefined) throw new Error(`the document refers to ${reference}, which is no component of it`);
  return component;
}

function resolve(document: Part, reference: string): Part {
  let current = document;
  for (const key of reference.split('/').slice(1)) {
    current = asObject(current)[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')];
    if (current === undefined) throw new Error(`the document refers to ${reference}, which is not in it`);
  }
  return current;
}

function nested(components: ReadonlyMap<string, Part>): Record<string, Record<string, Part>> {
  const sections: Record<string, Record<string, Part>> = {};
  for (const [reference, component] of components) {
    const [, , section = '', name = ''] = reference.split('/');
    sections[section] = { ...sections[section], [name]: component };
  }
  return sections;
}
