import { formatUsd } from '../base/money.js';

/** Any JSON value. A `bigint` is an amount of money. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | bigint
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** A body that {@link jsonText} accepts: its amounts may be `bigint`s. */
export type Printable<T> = T extends number
  ? number | bigint
  : T extends readonly (infer Element)[]
    ? readonly Printable<Element>[]
    : T extends object
      ? { readonly [Name in keyof T]: Printable<T[Name]> }
      : T;

/**
 * Writes JSON with amounts as exact, plain decimals of USD. `JSON.stringify` would write a nanodollar as `1e-9`, and large amounts
 * with rounding errors. Fields that are `undefined` are left out.
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
