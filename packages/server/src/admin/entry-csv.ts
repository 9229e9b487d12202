import { csvText } from '@searchgate/core/administration';
import type { LedgerEntry } from '@searchgate/core/ledger';
import { entryJson } from './present.js';

/** A field of any kind of entry, as it is shown. */
type EntryField = (LedgerEntry extends infer Entry ? (Entry extends unknown ? keyof Entry : never) : never) | 'at';

/** The columns of an export: what any kind of entry may carry, empty where this one does not. A field that is new in core is missing here when it is compiled. */
const FIELDS: Readonly<Record<Exclude<EntryField, 'atMs'>, true>> = {
  at: true,
  kind: true,
  id: true,
  organizationId: true,
  keyId: true,
  amount: true,
  model: true,
  provider: true,
  costSource: true,
  late: true,
  reason: true,
  note: true,
  upstreamCost: true,
  tag: true,
};
const COLUMNS = Object.keys(FIELDS);

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'upstreamCost']);

/** RFC 4180, whose lines end like this. */
const LINE_END = '\r\n';

/** The first line. */
export const CSV_HEADER = `${COLUMNS.join(',')}${LINE_END}`;

/** A line. Amounts are decimal US dollars; what a spreadsheet would run as a formula gets an apostrophe before it. */
export function entryCsv(entry: LedgerEntry): string {
  const fields = entryJson(entry);
  return `${COLUMNS.map((name) => cell(fields[name], AMOUNTS.has(name))).join(',')}${LINE_END}`;
}

function cell(value: unknown, isAmount: boolean): string {
  if (typeof value !== 'string' && typeof value !== 'boolean') return '';
  const text = String(value);
  // The amount of a correction may well begin with a minus sign: it is a number.
  return isAmount ? text : csvText(text);
}
