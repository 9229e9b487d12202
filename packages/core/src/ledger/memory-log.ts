import { LedgerError } from '../base/errors/ledger-error.js';
import type { CheckedEntryQuery } from './create-ledger.js';
import type { EntryPage, EntryQuery } from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';

/** The newest entries of a ledger that lives in memory: a ring, in which each new entry takes the place of the oldest. */
export interface MemoryLog {
  append(entry: LedgerEntry): void;
  /**
   * The first `limit` matching entries from the query's cursor on. Entries are copies, so that no caller can change the log.
   * A cursor to an entry that has gone since continues at the oldest one left.
   *
   * @throws LedgerError `invalid_cursor`.
   */
  page(query: CheckedEntryQuery): EntryPage;
}

const CURSOR = /^\d{1,15}$/;

export function createMemoryLog(maxEntries: number): MemoryLog {
  const slots: LedgerEntry[] = [];
  // Every entry has a number, counted from 0, that it keeps for life; cursors are such numbers.
  let end = 0;

  function startOf(cursor: string | undefined): number {
    const oldest = end - slots.length;
    if (cursor === undefined) return oldest;
    const number = CURSOR.test(cursor) ? Number(cursor) : end;
    if (number < end) return Math.max(number, oldest);
    throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
  }

  return {
    append(entry) {
      slots[end % maxEntries] = entry;
      end += 1;
    },
    page(query) {
      const entries: LedgerEntry[] = [];
      for (let number = startOf(query.cursor); number < end; number += 1) {
        const entry = slots[number % maxEntries];
        if (entry === undefined || !matches(entry, query)) continue;
        if (entries.length === query.limit) return { entries, nextCursor: String(number) };
        entries.push({ ...entry });
      }
      return { entries, nextCursor: null };
    },
  };
}

function matches(entry: LedgerEntry, { organizationId, keyId, fromMs, toMs }: EntryQuery): boolean {
  return (
    (organizationId === undefined || entry.organizationId === organizationId) &&
    (keyId === undefined || entry.keyId === keyId) &&
    (fromMs === undefined || entry.atMs >= fromMs) &&
    (toMs === undefined || entry.atMs < toMs)
  );
}
