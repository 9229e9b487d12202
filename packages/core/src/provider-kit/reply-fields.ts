import { z } from 'zod';
import type { Source } from '../text/collect-citations.js';

/** A text that a reply may lack, as absence, as `null` or in any other shape: never a reason to lose the answer. */
export const optionalText = z.transform(asText).optional();

/** A number that a reply may lack in the same ways. */
export const optionalNumber = z.transform(asNumber).optional();

/** An amount of money, optional and in any form: it is checked later. */
export const optionalAmount = z.unknown().optional();

/** A text or a number is no entry of the lists below: they read it as `{}`. */
type Entry = object | null | undefined;

/**
 * A list of objects that a reply may lack; then it is empty. Its entries are read as those of {@link looseList}. For a list of addresses there is
 * {@link optionalAddresses}.
 */
export function optionalList<S extends z.ZodType<Entry>>(element: S) {
  return looseList(element)
    .nullish()
    .transform((list) => list ?? []);
}

/**
 * A list in which no entry is a reason to lose the answer: one that is no object counts as `{}`. It keeps its place, because markers may count the
 * list, and names no source.
 *
 * @param element an object of which every field may be missing or wrong: its fields are the optional ones of this file.
 */
export function looseList<S extends z.ZodType<Entry>>(element: S) {
  return z.array(z.preprocess(asEntry, element));
}

/**
 * A list of addresses that markers count, as sources; a reply may lack it, then it is empty. An entry that is no text names no source, and keeps its
 * place.
 */
export const optionalAddresses = z.transform(asAddresses).prefault([]);

/**
 * A list of texts that a reply may lack; entries that are no texts, or empty ones, are left out. For what no marker counts: where one does, those
 * behind would get other numbers, so addresses are {@link optionalAddresses}.
 */
export const optionalTexts = z.transform(asTexts).optional();

/** A list of numbers that a reply may lack; entries that are no numbers are left out. */
export const optionalNumbers = z.transform(asNumbers).optional();

// Plain functions, because zod takes several steps for the same, and dear ones for every value that does not fit: replies hold dozens of such fields.

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asNumber(value: unknown): number | null {
  return isNumber(value) ? value : null;
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
