import { z } from 'zod';
import { reportedNumber } from '../base/money.js';
import type { Source } from '../text/collect-citations.js';

/** A text that may be absent, `null` or of another type: a wrong field never loses the answer. */
export const optionalText = z.transform(asText).optional();

/** Such texts, by their names. */
export function textFields<Name extends string>(...names: readonly Name[]): Record<Name, typeof optionalText> {
  return Object.fromEntries(names.map((name) => [name, optionalText])) as Record<Name, typeof optionalText>;
}

/** A number, or a decimal as text. It may be absent, `null` or of another type. */
export const optionalNumber = z.transform(asNumber).optional();

/** An amount of money, optional and of any type: it is checked later. */
export const optionalAmount = z.unknown().optional();

/** The lists below read every other entry, such as a text or a number, as `{}`. */
type Entry = object | null | undefined;

/**
 * A list of objects, empty when the reply has no list. Its entries are read as in {@link looseList}. For a list of addresses use
 * {@link optionalAddresses}.
 */
export function optionalList<S extends z.ZodType<Entry>>(element: S) {
  return looseList(element)
    .nullish()
    .transform((list) => list ?? []);
}

/**
 * A list in which a wrong entry never loses the answer: an entry that is no object is read as `{}`. It keeps its place, because markers may count
 * the entries, but names no source.
 *
 * @param element the schema of an object whose fields may all be missing or wrong: use the optional fields of this file.
 */
export function looseList<S extends z.ZodType<Entry>>(element: S) {
  return z.array(z.preprocess(asEntry, element));
}

/**
 * A list of addresses that markers count, as sources; empty when the reply has no list. An entry that is no text keeps its place, but names no
 * source.
 */
export const optionalAddresses = z.transform(asAddresses).prefault([]);

/**
 * An optional list of texts; entries that are empty or no texts are left out. Not for a list that markers count, because later entries would get
 * other numbers: use {@link optionalAddresses} for addresses.
 */
export const optionalTexts = z.transform(asTexts).optional();

/** An optional list of numbers; entries that are no numbers are left out. */
export const optionalNumbers = z.transform(asNumbers).optional();

// Plain functions, because zod is slower, most of all for values that do not fit: replies contain dozens of such fields.

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asNumber(value: unknown): number | null {
  return reportedNumber(value) ?? null;
}

function asEntry(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function asAddresses(value: unknown): Source[] {
  return Array.isArray(value) ? value.map((entry) => ({ url: asText(entry) })) : [];
}

function asTexts(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string' && entry !== '') : null;
}

function asNumbers(value: unknown): number[] | null {
  return Array.isArray(value) ? value.filter(isNumber) : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** A text; of an answer in JSON also a value. */
export const anyText = z.string().or(z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)));
