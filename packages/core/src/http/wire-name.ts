/** Options of calls in process that are headers over HTTP. */
const HEADERS: ReadonlyMap<string, string> = new Map([
  ['apiKey', 'the header Authorization'],
  ['idempotencyKey', 'the header Idempotency-Key'],
  ['cache', 'the header Cache-Control'],
]);

/** The name of a field or an option on the wire: `includeDomains` is `include_domains`. */
export function wireName(name: string): string {
  return HEADERS.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** An object with the names of its fields on the wire. */
export type WireFields<T> = T extends unknown
  ? { readonly [Name in keyof T & string as SnakeCase<Name>]: T[Name] }
  : never;

/** Names the fields of an object as on the wire; their values stay. */
export function wireFields<T extends object>(fields: T): WireFields<T> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [wireName(name), value])) as WireFields<T>;
}
