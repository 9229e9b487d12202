import {
  checkEntryQuery,
  type EntryPage,
  type EntryQuery,
  type LedgerEntry,
  LedgerError,
} from '@searchgate/core/ledger';
import type { Scripts } from './create-scripts.js';
import { parseEntry } from './parse-entry.js';
import { ENTRIES, ENTRY_FIELDS } from './scripts/log-scripts.js';

/** How many entries one script looks at: some millisecond in which nobody else is served. */
const ENTRIES_AT_ONCE = 200;
const CURSOR = /^[1-9]\d{0,15}$/;

interface NumberedEntry {
  readonly number: string;
  readonly entry: LedgerEntry;
}

/** A page of the log: as many scripts as it takes. Entries never change, so the page is right although others write meanwhile. */
export async function readLog(scripts: Scripts, query: EntryQuery): Promise<EntryPage> {
  const limit = checkEntryQuery(query);
  const found: NumberedEntry[] = [];
  let next = firstOf(query.cursor);
  while (next !== '' && found.length <= limit) {
    const reply = await scripts.run(ENTRIES, valuesOf(query, next));
    next = reply[0] ?? '';
    found.push(...numberedEntries(reply));
  }
  const entries = found.slice(0, limit).map(({ entry }) => entry);
  return { entries, nextCursor: found[limit]?.number ?? null };
}

function valuesOf({ organizationId = '', keyId = '', fromMs, toMs }: EntryQuery, next: string): string[] {
  return [organizationId, keyId, `${fromMs ?? ''}`, `${toMs ?? ''}`, next, `${ENTRIES_AT_ONCE}`];
}

function numberedEntries(reply: readonly string[]): NumberedEntry[] {
  const entries: NumberedEntry[] = [];
  for (let start = 1; start < reply.length; start += ENTRY_FIELDS + 1) {
    const fields = reply.slice(start + 1, start + 1 + ENTRY_FIELDS);
    entries.push({ number: reply[start] ?? '', entry: parseEntry(fields) });
  }
  return entries;
}

function firstOf(cursor: string | undefined): string {
  if (cursor === undefined) return '1';
  if (typeof cursor === 'string' && CURSOR.test(cursor)) return cursor;
  throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
}
