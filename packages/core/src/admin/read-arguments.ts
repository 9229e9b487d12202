import { z } from 'zod';
import { LedgerError } from '../base/errors/ledger-error.js';
import { MAX_NANO_USD, type NanoUsd, readUsd as readDecimal } from '../base/money.js';
import { refusal } from '../base/options/check-argument.js';
import { nearestName } from '../base/options/nearest-name.js';

const DATE_TIME = z.iso.datetime({ offset: true });
const DATE = z.iso.date();

/** Refuses unknown fields of an operation. @throws LedgerError `invalid_argument`. */
export function checkFields(operation: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw refusal('invalid_argument', operation, { found: given, expected: `an object of ${known.join(', ')}` });
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  const message = `${operation}: "${unknown}" is none of its fields (${known.join(', ')}).${hint}`;
  throw new LedgerError('invalid_argument', message);
}

/** Decimal USD from 0 to 2^62 nanodollars. @throws LedgerError `invalid_amount`. */
export function readUsd(name: string, text: string): NanoUsd {
  const amount = readSignedUsd(name, text);
  if (amount >= 0n) return amount;
  throw refusal('invalid_amount', name, { found: text, expected: 'zero or more' });
}

/** Decimal USD from −2^62 to 2^62 nanodollars. @throws LedgerError `invalid_amount`. */
export function readSignedUsd(name: string, text: string): NanoUsd {
  const amount = readDecimal(text);
  if (amount !== undefined && amount <= MAX_NANO_USD && amount >= -MAX_NANO_USD) return amount;
  const expected = 'decimal USD such as "25.00", of at most 9 decimals and at most 2^62 nanodollars';
  throw refusal('invalid_amount', name, { found: text, expected });
}

/** An ISO date-time with offset. @returns milliseconds since the Unix epoch. @throws LedgerError `invalid_argument`. */
export function readDateTime(name: string, text: string): number {
  const timeMs = DATE_TIME.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (timeMs >= 0) return timeMs;
  throw refusal('invalid_argument', name, { found: text, expected: 'an ISO date-time such as "2027-01-31T00:00:00Z"' });
}

/** An ISO date-time to come. @throws LedgerError `invalid_argument`. */
export function readTimeToCome(name: string, text: string, nowMs: number): number {
  const timeMs = readDateTime(name, text);
  if (timeMs > nowMs) return timeMs;
  throw refusal('invalid_argument', name, { found: text, expected: 'a time to come; to end a key now, revoke it' });
}

/** Slugs of known models. @throws LedgerError `invalid_argument`: a mistyped slug would lock its key out. */
export function checkSlugs(name: string, slugs: unknown, known: ReadonlySet<string>): void {
  if (!Array.isArray(slugs)) return; // The registry refuses it.
  for (const slug of slugs as unknown[]) {
    if (typeof slug !== 'string' || known.has(slug)) continue;
    const nearest = nearestName(slug, known);
    const expected = `the slug of a model${nearest === undefined ? '' : ` such as "${nearest}"`}`;
    throw refusal('invalid_argument', name, { found: slug, expected });
  }
}

/** An ISO date. @returns its midnight UTC in milliseconds since the Unix epoch. @throws LedgerError `invalid_argument`. */
export function readDay(name: string, text: string): number {
  const timeMs = DATE.safeParse(text).success ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (timeMs >= 0) return timeMs;
  throw refusal('invalid_argument', name, { found: text, expected: 'an ISO date such as "2027-01-31"' });
}

/** Refuses a range that ends before it begins: its empty result would look valid. @throws LedgerError `invalid_argument`. */
export function checkOrder<T extends string | number>([from, begin]: Bound<T>, [to, end]: Bound<T>): void {
  if (begin === undefined || end === undefined || begin <= end) return;
  throw refusal('invalid_argument', to, { found: end, expected: `${from} (${begin}) or later` });
}

type Bound<T> = readonly [name: string, value: T | undefined];
