/** Any part of a vendor's document, so without guarantees. */
export type Part = unknown;
export type PartObject = Readonly<Record<string, Part>>;

export interface AskedRequest {
  readonly method: string;
  readonly url: URL;
}

export function asObject(part: Part): PartObject {
  return typeof part === 'object' && part !== null ? (part as PartObject) : {};
}

/** The part itself, or the target of its reference. @throws Error for a broken reference. */
export function dereference(document: Part, part: Part): PartObject {
  const { $ref: reference } = asObject(part);
  if (typeof reference !== 'string') return asObject(part);
  let target = document;
  for (const key of reference.split('/').slice(1))
    target = asObject(target)[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')];
  if (target === undefined) throw new Error(`the document refers to ${reference}, which is not in it`);
  return dereference(document, target);
}

/** The schema of the JSON body of a request; `null` for an undocumented request. */
export function bodySchema(document: Part, { method, url }: AskedRequest): Part {
  const { servers, paths } = asObject(document);
  for (const server of Array.isArray(servers) ? (servers as Part[]) : [{ url: '/' }]) {
    const base = new URL(String(asObject(server)['url']), url);
    if (base.origin !== url.origin) continue;
    for (const [template, item] of Object.entries(asObject(paths))) {
      const operation = asObject(item)[method.toLowerCase()];
      if (operation === undefined || !pattern(base.pathname.replace(/\/$/, '') + template).test(url.pathname)) continue;
      const { content } = dereference(document, asObject(operation)['requestBody']);
      return asObject(asObject(content)['application/json'])['schema'] ?? {};
    }
  }
  return null;
}

/** Turns `/models/{model}:ask` into a regular expression. */
function pattern(template: string): RegExp {
  const parts = template.split(/\{[^}]*\}/).map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
