import { z } from 'zod';
import { MAX_REPLY_DEPTH } from '../base/json-counts.js';
import { reportedNumber } from '../base/money.js';
import type { Source } from '../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../text/reply-limits.js';

/** The lists below read every other entry, such as a text or a number, as `{}`. */
type Entry = object | null | undefined;

/** Fields of a reply that may be absent. A value of another type is read as `null`: a wrong field never loses the answer. */
export const optional = {
  text: z.transform(asText).optional(),
  /** A number, or a decimal as text. */
  number: z.transform(asNumber).optional(),
  /** An HTTP status: see {@link statusOf}. */
  status: z.transform(statusOf).optional(),
  /** An amount of money, of any type: it is checked later. */
  amount: z.unknown().optional(),
  /**
   * A list of texts; entries that are empty or no texts are left out. Not for a list that markers count, because later entries would get other numbers: use
   * `addresses` for addresses.
   */
  texts: z.transform(asTexts).optional(),
  /** A list of numbers, or of decimals as text; other entries are left out. */
  numbers: z.transform(asNumbers).optional(),
  /** A list of addresses that markers count, as sources; empty when the reply has no list. An entry that is no text keeps its place, but names no source. */
  addresses: z.transform(asAddresses).prefault([]),
  /** An object of such fields. */
  object: <S extends z.ZodRawShape>(fields: S) => optionalOf(z.object(fields)),
  /** A value of any other schema. */
  of: optionalOf,
  /** A list of objects, empty when the reply has no list. Its entries are read as in {@link looseList}. For a list of addresses use `addresses`. */
  list: <S extends z.ZodType<Entry>>(element: S) =>
    looseList(element)
      .nullish()
      .transform((list) => list ?? []),
};

function optionalOf<S extends z.ZodType>(schema: S) {
  return schema.nullish().catch(null);
}

/** Optional texts, by their names. */
export function textFields<Name extends string>(...names: readonly Name[]): Record<Name, typeof optional.text> {
  return Object.fromEntries(names.map((name) => [name, optional.text])) as Record<Name, typeof optional.text>;
}

/**
 * A list in which a wrong entry never loses the answer: an entry that is no object is read as `{}`. It keeps its place, because markers may count
 * the entries, but names no source.
 *
 * @param element the schema of an object whose fields may all be missing or wrong: use {@link optional} fields.
 */
export function looseList<S extends z.ZodType<Entry>>(element: S) {
  return z.array(z.preprocess(objectOf, element));
}

// Plain functions, because zod is slower, most of all for values that do not fit: replies contain dozens of such fields.

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asNumber(value: unknown): number | null {
  return reportedNumber(value) ?? null;
}

/** An HTTP status as a number or a text, such as `404`, `"404"`, `"404 Not Found"` or `"HTTP/1.1 404"`; `undefined` for any other value. */
export function statusOf(value: unknown): number | undefined {
  const text = typeof value === 'string' ? (STATUS.exec(value)?.[1] ?? value) : value;
  return reportedNumber(text);
}

const STATUS = /^\s*(?:https?(?:\/[\d.]+)?[\s_:-]*)?([1-5]\d\d)(?![\d.])/i;

function asAddresses(value: unknown): Source[] {
  return Array.isArray(value) ? value.map((entry) => ({ url: asText(entry) })) : [];
}

function asTexts(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string' && entry !== '') : null;
}

function asNumbers(value: unknown): number[] | null {
  return Array.isArray(value) ? value.map(reportedNumber).filter((number) => number !== undefined) : null;
}

/** A number that must be there, or a decimal as text: any other value makes the reply wrong. */
export const requiredNumber = z.preprocess((value) => reportedNumber(value) ?? value, z.number());

/** A text; of an answer in JSON also a value. */
export const anyText = z.string().or(z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)));

/** An object of JSON, before it is checked. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value, or `{}` if it is no object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value, or `undefined` if it is no text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value, or an empty list if it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The entry with index 0 of `choices` or `candidates`. A vendor may send further entries, and may omit the index. */
export function ownChoice(choices: unknown): JsonObject {
  for (const choice of listOf(choices)) {
    const object = objectOf(choice);
    if (isOwn(object)) return object;
  }
  return {};
}

/** The list with {@link ownChoice} as its first entry. */
export function ownFirst<T>(choices: readonly T[]): T[] {
  return [...choices.filter(isOwn), ...choices.filter((choice) => !isOwn(choice))];
}

function isOwn(choice: unknown): boolean {
  return reportedNumber(objectOf(choice)['index'] ?? 0) === 0;
}

/** A list that is too long has at least two characters per element, so its text is at least this long. */
const MIN_LENGTH_OF_MANY = 2 * MAX_ANNOTATIONS;
/** Most values in a reply after its lists are cut. Values inside lists and objects count too. */
const MAX_VALUES = 100_000;

/**
 * Cuts every list of a parsed reply to its first {@link MAX_ANNOTATIONS} elements.
 *
 * @param length of the reply's text: most replies are too short to contain a list that must be cut.
 * @returns false for a reply with more values or deeper nesting than any provider sends: checking its shape would take too long.
 */
export function limitReply(reply: object, length: number): boolean {
  if (length < MIN_LENGTH_OF_MANY) return true;
  let values = 0;
  function isBounded(value: unknown, depth: number): boolean {
    values += 1;
    if (typeof value !== 'object' || value === null) return values <= MAX_VALUES;
    if (values > MAX_VALUES || depth > MAX_REPLY_DEPTH) return false;
    if (!Array.isArray(value)) return areBounded(value, depth);
    if (value.length > MAX_ANNOTATIONS) value.length = MAX_ANNOTATIONS;
    return value.every((element) => isBounded(element, depth + 1));
  }
  function areBounded(fields: object, depth: number): boolean {
    for (const name in fields) if (!isBounded((fields as Record<string, unknown>)[name], depth + 1)) return false;
    return true;
  }
  return isBounded(reply, 0);
}
