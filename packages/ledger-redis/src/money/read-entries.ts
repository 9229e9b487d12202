import {
  type CheckedEntryQuery,
  type EntryPage,
  type EntryQuery,
  type LedgerEntry,
  LedgerError,
  slicesOf,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { ENTRIES, ENTRY_FIELDS } from '../scripts/log-scripts.js';
import { entryOfFields } from './entry-fields.js';

/** How many entries one script looks at: about a millisecond in which Redis serves no one else. */
const ENTRIES_AT_ONCE = 200;
const CURSOR = /^[1-9]\d{0,15}$/;

interface NumberedEntry {
  readonly number: string;
  readonly entry: LedgerEntry;
}

/** A page of the log: as many scripts as it takes. Entries never change, so the page is right although others write between the scripts. */
export async function readEntries(scripts: Scripts, query: CheckedEntryQuery): Promise<EntryPage> {
  const { limit, cursor = '1' } = query;
  checkEntryCursor(cursor);
  const found: NumberedEntry[] = [];
  let next = cursor;
  while (next !== '' && found.length <= limit) {
    const [following = '', ...texts] = await scripts.run(ENTRIES, valuesOf(query, next));
    next = following;
    for (const [number = '', ...fields] of slicesOf(texts, ENTRY_FIELDS + 1)) {
      found.push({ number, entry: entryOfFields(fields) });
    }
  }
  const entries = found.slice(0, limit).map(({ entry }) => entry);
  return { entries, nextCursor: found[limit]?.number ?? null };
}

function valuesOf({ organizationId = '', keyId = '', fromMs, toMs }: EntryQuery, next: string): string[] {
  return [organizationId, keyId, `${fromMs ?? ''}`, `${toMs ?? ''}`, next, `${ENTRIES_AT_ONCE}`];
}

/** A cursor is the number of an entry. @throws LedgerError `invalid_cursor`. */
export function checkEntryCursor(cursor: unknown): void {
  if (typeof cursor === 'string' && CURSOR.test(cursor)) return;
  throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
}
