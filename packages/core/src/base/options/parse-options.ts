import { z } from 'zod';
import { ConfigurationError, type ConfigurationProblem } from '../errors/configuration-error.js';
import { expectedValue } from './expected-value.js';
import { maskUrl } from './mask-urls.js';
import { nearestName } from './nearest-name.js';

/** A part of options that zod silently ignores, so that a limit or a credit would be missing without notice. */
interface LostPart {
  readonly path: readonly PropertyKey[];
  readonly found: string;
  readonly expected: string;
}

/** zod copies objects entry by entry, and drops an entry with this name. */
const NOT_A_NAME = '__proto__';
const OTHER_NAME = 'another name: JavaScript keeps this one to itself';

/**
 * Finds the parts of options that zod would ignore: entries named `__proto__`, and instances of a class without own fields in place of an object of options,
 * such as a Promise without `await`, a Date or a Map. Instances with fields are read like plain objects.
 */
function lostParts(schema: unknown, value: unknown, path: readonly PropertyKey[] = []): LostPart[] {
  if (typeof value !== 'object' || value === null) return [];
  const current = unwrap(schema);
  const within = (child: unknown, part: PropertyKey) =>
    lostParts(child, (value as Record<PropertyKey, unknown>)[part], [...path, part]);
  if (current instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((_, index) => within(current.element, index));
  if (current instanceof z.ZodRecord)
    return [...lostName(value, path), ...Object.keys(value).flatMap((key) => within(current.valueType, key))];
  if (!(current instanceof z.ZodObject) || Array.isArray(value)) return [];
  const bare = fieldHolding(current, value);
  if (bare !== undefined) return [{ path, found: `the ${bare} itself`, expected: `an object such as { ${bare}: … }` }];
  const kind = kindOf(value);
  if (kind !== undefined && Object.keys(value).length === 0) return [emptyObject(kind, path)];
  // For a strict object zod reports the unknown name.
  const lost = current.def.catchall instanceof z.ZodNever ? [] : lostName(value, path);
  return [...lost, ...Object.entries(current.shape).flatMap(([key, child]) => within(child, key))];
}

/** The option that a value was meant for, where the value stands in place of the options: `sqliteLedger(database)`. */
function fieldHolding({ shape }: z.ZodObject, value: object): string | undefined {
  const names = Object.keys(value);
  const known = names.filter((name) => Object.hasOwn(shape, name));
  if (known.length > names.length / 2) return undefined;
  const takes = (field: z.ZodType, given: object) => z.safeParse(field, given).success;
  // A field that takes any object tells nothing.
  const isFor = (field: unknown) => field instanceof z.ZodCustom && takes(field, value) && !takes(field, {});
  return Object.keys(shape).find((name) => isFor(unwrap(shape[name])));
}

function lostName(value: object, path: readonly PropertyKey[]): LostPart[] {
  if (!Object.hasOwn(value, NOT_A_NAME)) return [];
  return [{ path: [...path, NOT_A_NAME], found: `the name "${NOT_A_NAME}"`, expected: OTHER_NAME }];
}

function emptyObject(kind: string, path: readonly PropertyKey[]): LostPart {
  const expected = kind === 'Promise' ? 'an object; this has to be awaited' : 'an object';
  return { path, found: `a ${kind} without fields`, expected };
}

/** The class of an object; `undefined` for plain objects, also of another realm. */
function kindOf(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null;
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  return prototype.constructor?.name ?? 'object';
}

/** Removed or renamed options, by the last two names of their path, with a remedy. */
const GONE_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['latencyStore', 'no such option any more: remove it, each process measures latencies by itself'],
  ['implausibleCostFactor', 'no such option any more: remove it, the factor is 20'],
  ['expiryPolicy', 'no such option any more: remove it, holds left behind are always released'],
  ['cache.scope', 'no such option any more: remove it, answers are kept for their organization alone'],
  ['wwwAuthenticate', 'no such option any more: remove it, the header is Bearer realm="searchgate"'],
  ['extensions', 'renamed: use endpoints'],
  ['idempotencyKeepMs', 'renamed: use idempotencyTtlMs'],
  ['keepEndedHoldsMs', 'renamed: use endedHoldRetentionMs'],
  ['rateLimit.periodSeconds', 'renamed: use periodMs, in milliseconds'],
  ['random', 'no such option any more: remove it'],
  ['newId', 'no such option any more: remove it'],
]);

/**
 * Checks a host's options against a schema and returns the parsed value.
 *
 * Use `z.strictObject`, so that unknown options are errors. Problems have the path from `root`, the found value (values of options with a secret-sounding name
 * are never printed), the expected value, and the nearest known name for a misspelled option.
 *
 * @throws ConfigurationError listing every problem at once.
 */
export function parseOptions<S extends z.ZodType>(schema: S, options: unknown, root: string): z.output<S> {
  const lost = lostParts(schema, options).map((part) => ({
    ...part,
    path: formatPath(root, part.path) || 'options',
  }));
  const result = schema.safeParse(options, { reportInput: true, error: expectedValue });
  if (result.success && lost.length === 0) return result.data;
  const wrong = result.error?.issues.flatMap((issue) => problemsOf(issue, { schema, options, root })) ?? [];
  const whole = root || 'options';
  const isTold = (path: string) =>
    lost.some((part) => part.path === whole || path === part.path || path.startsWith(`${part.path}.`));
  throw new ConfigurationError([...lost, ...wrong.filter(({ path }) => !isTold(path))]);
}

/** Most unknown options that are named each, for objects that are something else. */
const MAX_NAMED = 5;

interface Scope {
  readonly schema: z.ZodType;
  readonly options: unknown;
  readonly root: string;
}

function problemsOf(issue: z.core.$ZodIssue, scope: Scope): ConfigurationProblem[] {
  const { schema, options, root } = scope;
  const path = formatPath(root, issue.path) || 'options';
  const within = issue.code === 'invalid_union' ? nearestForm(issue.errors) : undefined;
  if (within !== undefined)
    return within.flatMap((each) => problemsOf({ ...each, path: [...issue.path, ...each.path] }, scope));
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    if (issue.keys.length > MAX_NAMED) {
      const found = `an object with ${issue.keys.slice(0, MAX_NAMED).join(', ')}, …`;
      return [{ path, found, expected: `one with some of ${known.join(', ')}` }];
    }
    return issue.keys.map((key) => {
      const option = [...issue.path, key];
      const gone = GONE_OPTIONS.get(formatPath('', option.slice(-2)));
      if (gone !== undefined) return { path: formatPath(root, option), found: 'an option', expected: gone };
      const expected = known.length === 0 ? 'no such option' : `one of ${known.join(', ')}`;
      const nearest = nearestName(key, known);
      return { path: formatPath(root, option), found: 'an unknown option', expected, nearest };
    });
  }
  if (issue.code === 'invalid_key') {
    const found = `the name ${describeValue(String(issue.path.at(-1)))}`;
    return [{ path, found, expected: issue.issues[0]?.message ?? issue.message }];
  }
  return [
    {
      path,
      found: isMisplacedKey(issue, scope) ? 'a string (not shown)' : describeValue(valueAt(options, issue.path), path),
      expected: orNull(expectedBy(issue, schema), schemaAt(schema, issue.path)),
      nearest: issue.code === 'invalid_value' ? nearestName(String(issue.input), issue.values.map(String)) : undefined,
    },
  ];
}

/** The form of a union that was meant: the form whose mistakes are all inside of the value. */
function nearestForm(forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  return forms.find((issues) => issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'));
}

function expectedBy(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  return issue.path.length === 0 && issue.message === OBJECT ? objectOf(schema) : issue.message;
}

/** A long text in place of an object may be a key, as in `exa('sk-…')`. */
function isMisplacedKey({ path }: z.core.$ZodIssue, { schema, options }: Scope): boolean {
  const wanted = unwrap(schemaAt(schema, path));
  const given = valueAt(options, path);
  return (
    (wanted instanceof z.ZodObject || wanted instanceof z.ZodCustom) &&
    typeof given === 'string' &&
    /^[^:]{16}/.test(given)
  );
}

/** Adds `null` to the expected values if the schema accepts `null`. */
function orNull(expected: string, schema: unknown): string {
  if (!(schema instanceof z.ZodType) || /\bnull\b/.test(expected) || !z.safeParse(schema, null).success)
    return expected;
  return `${expected}, or null`;
}

const OBJECT = 'an object';

/** The expected object, with its required fields. */
function objectOf(schema: z.ZodType): string {
  const required = knownKeys(schema, []).filter(
    (key) => !z.safeParse(childSchema(schema, key) as z.ZodType, undefined).success,
  );
  return required.length === 0 ? OBJECT : `${OBJECT} with ${required.join(' and ')}`;
}

/** Prints a value for an error message: short, and never a secret. */
export function describeValue(value: unknown, path = ''): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value !== 'object' && value !== '' && SOUNDS_SECRET.test(lastName(path)))
    return `a ${typeof value} (not shown)`;
  if (typeof value === 'string' && value !== '' && IS_SECRET_TEXT.test(path)) return 'a string (not shown)';
  if (typeof value === 'string') return describeText(isLikeUrl(value, path) ? originOf(value) : value);
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return 'a Promise, which has to be awaited';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'symbol') return 'a symbol';
  return typeof value === 'bigint' ? `${value}n` : `${value as number | boolean}`;
}

const SOUNDS_SECRET = /secret|api[-_]?key|token(?!s)|password|authorization/i;

/** The last option of a path, without array indexes: only the name of the option itself tells whether its value is secret. */
function lastName(path: string): string {
  const names = path.replace(/(?:\[\d+\])+$/, '');
  return names.slice(Math.max(names.lastIndexOf('.'), names.lastIndexOf('[')) + 1);
}

/** Headers have any name, and a list of tokens has them as texts. Other tokens are counted. A key may stand in place of its name. */
const IS_SECRET_TEXT = /\bheaders(?:[.[]|$)|tokens\[\d+\]$|\bapiKeys\[\d+\]\.(?:key|name)$/i;

function isLikeUrl(text: string, path: string): boolean {
  return /url$/i.test(lastName(path)) || text.includes('://');
}

/** A URL, also a malformed one, without its path: those of webhooks are secret. */
function originOf(url: string): string {
  return maskUrl(url).replace(/(?<=[^:/\\][/\\]).+/s, '***');
}

function describeText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

function formatPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (/^[A-Za-z_$][\w$]*$/.test(name)) return text === '' ? name : `${text}.${name}`;
    return `${text}[${JSON.stringify(name)}]`;
  }, root);
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    options,
  );
}

/** The option names of the object schema at a path; empty if the path does not lead to an object. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const object = unwrap(schemaAt(schema, path));
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((current, part) => childSchema(unwrap(current), part), schema);
}

function childSchema(schema: unknown, part: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) {
    const { shape, def } = schema;
    return Object.hasOwn(shape, part) ? (shape as Record<PropertyKey, unknown>)[part] : def.catchall;
  }
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return undefined;
}

/** The schema inside of optional, nullable, default and pipe; of a union, its object. */
function unwrap(schema: unknown): unknown {
  let current = schema;
  for (let next = wrappedIn(current); next !== undefined; next = wrappedIn(current)) current = next;
  return current instanceof z.ZodUnion ? current.options.find((option) => option instanceof z.ZodObject) : current;
}

function wrappedIn(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return schema.in;
  const isAround =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isAround ? schema.unwrap() : undefined;
}
