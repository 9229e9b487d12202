import { formatUsd } from '../base/money.js';

/** Anything JSON can say, where a `bigint` is an amount of money. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | bigint
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** A body as {@link jsonText} takes it: an amount may still be a `bigint`. */
export type Printable<T> = T extends number
  ? number | bigint
  : T extends readonly (infer Element)[]
    ? readonly Printable<Element>[]
    : T extends object
      ? { readonly [Name in keyof T]: Printable<T[Name]> }
      : T;

/**
 * JSON text in which amounts are exact, plain decimals of USD. `JSON.stringify` would print a nanodollar as `1e-9` and large amounts
 * with float noise. Fields that are `undefined` are left out.
 */
export function jsonText(value: JsonValue): string {
  if (typeof value === 'bigint') return formatUsd(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(jsonText).join(',')}]`;
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${JSON.stringify(name)}:${jsonText(field)}`],
  );
  return `{${fields.join(',')}}`;
}
