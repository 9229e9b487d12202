import type { LedgerEntry } from '@searchgate/core/ledger';
import { entryJson } from './present.js';

/** The columns of an export: what any kind of entry may carry, empty where this one does not. */
const COLUMNS = [
  'at',
  'kind',
  'id',
  'organizationId',
  'keyId',
  'amount',
  'model',
  'provider',
  'costSource',
  'late',
  'reason',
  'note',
  'upstreamCost',
] as const;

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'upstreamCost']);

/** RFC 4180, whose lines end like this. */
const LINE_END = '\r\n';
/** What makes spreadsheets take a text for a formula, also when it comes from a caller. */
const FORMULA_START = /^[=+\-@\t\r＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The first line. */
export const CSV_HEADER = `${COLUMNS.join(',')}${LINE_END}`;

/** A line. Amounts are decimal US dollars; texts that a spreadsheet would run as a formula begin with an apostrophe. */
export function entryCsv(entry: LedgerEntry): string {
  const fields = entryJson(entry);
  return `${COLUMNS.map((name) => cell(fields[name], AMOUNTS.has(name))).join(',')}${LINE_END}`;
}

function cell(value: unknown, isAmount: boolean): string {
  if (typeof value !== 'string' && typeof value !== 'boolean') return '';
  const text = String(value);
  // The amount of a correction may well begin with a minus sign: it is a number.
  const harmless = !isAmount && FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
