import { callerLimitSchemas } from '@searchgate/core/ledger';
import { z } from 'zod';

type SnakeName<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

type CamelName<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelName<Rest>>}` : Name;

type Snake<T> = T extends readonly unknown[] | null | undefined ? T : T extends object ? SnakeObject<T> : T;
type SnakeObject<T> = { [Name in keyof T as SnakeName<Name> & string]: Snake<T[Name]> };
type Camel<T> = T extends readonly unknown[] | null | undefined ? T : T extends object ? CamelObject<T> : T;
type CamelObject<T> = { [Name in keyof T as CamelName<Name> & string]: Camel<T[Name]> };

/** `limitReset` of core is `limit_reset` on the wire. */
export function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** An object with the names of the wire. Lists stay as they are. */
export function toWire<T extends object>(value: T): SnakeObject<T> {
  return renamed(value, snakeName) as SnakeObject<T>;
}

/** An object with the names of core. */
export function fromWire<T extends object>(value: T): CamelObject<T> {
  const camelName = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return renamed(value, camelName) as CamelObject<T>;
}

function renamed(value: unknown, nameOf: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [nameOf(name), renamed(field, nameOf)]));
}

const { requests, periodMs } = callerLimitSchemas.rateLimit.unwrap().unwrap().shape;

/** The limits of a caller, as fields of a body. */
export const limitFields = {
  rate_limit: z.strictObject({ requests, period_ms: periodMs }).nullable().optional(),
  max_concurrent: callerLimitSchemas.maxConcurrent,
};

const RULE = 'must be null, or { "only": […] } or { "never": […] } with host names such as "example.org"';
/** A list of texts, as a field of a body. */
export const texts: z.ZodType<readonly string[]> = z.array(z.string());

/** A rule of domains, as a field of a body. The registry checks the names. */
export const domainsField = z
  .union([z.strictObject({ only: texts }), z.strictObject({ never: texts })], RULE)
  .nullable()
  .optional();
