import { csvText } from '@searchgate/core/administration';
import type { LedgerEntry } from '@searchgate/core/ledger';
import { entryJson } from './present.js';

/** A field of any kind of entry. */
type EntryField = (LedgerEntry extends infer Entry ? (Entry extends unknown ? keyof Entry : never) : never) | 'at';

/** The columns of an export: all fields of all kinds of entries; missing fields are empty. A record, so that the compiler reports new fields of core. */
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
  budgets: true,
  tenantCost: true,
};
const COLUMNS = Object.keys(FIELDS);

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'upstreamCost', 'tenantCost']);

/** The line end of RFC 4180. */
const LINE_END = '\r\n';

/** The header line. */
export const CSV_HEADER = `${COLUMNS.join(',')}${LINE_END}`;

/** The line of an entry. Amounts are decimal US dollars; text that a spreadsheet would run as a formula gets a leading apostrophe. */
export function entryCsv(entry: LedgerEntry): string {
  const fields = entryJson(entry);
  return `${COLUMNS.map((name) => cell(fields[name], AMOUNTS.has(name))).join(',')}${LINE_END}`;
}

function cell(value: unknown, isAmount: boolean): string {
  if (Array.isArray(value)) return csvText(value.join(' '));
  if (typeof value !== 'string' && typeof value !== 'boolean') return '';
  const text = String(value);
  // A correction may begin with a minus sign and must stay a number.
  return isAmount ? text : csvText(text);
}
