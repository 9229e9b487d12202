import {
  type CheckedEntryQuery,
  type EntryPage,
  entryOf,
  type LedgerEntry,
  LedgerError,
  type StoredEntry,
} from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

/** Where a page begins: behind this entry. */
interface Place {
  readonly atMs: number;
  readonly position: bigint;
  /** Up to which position nothing can appear any more (see {@link readEntries}). */
  readonly settled: bigint;
}

interface EntryRow extends Omit<StoredEntry, 'amount' | 'comment' | 'upstreamCost' | 'tenantCost'> {
  readonly amount: string;
  readonly upstreamCost: string | null;
  readonly tenantCost: string | null;
  readonly position: string;
  readonly note: string | null;
  readonly reason: string | null;
}

const CURSOR = /^(\d{1,16})\.(\d{1,19})\.(\d{1,19})$/;
const START: Place = { atMs: 0, position: -1n, settled: -1n };

/**
 * A page of the log, ordered by time and, within a millisecond, by the position given to each entry as it is written.
 *
 * Entries of one organization, or of one key, are written one batch after the other, since each batch holds their locks until it is committed,
 * and their times never go back. So pages of one organization or key neither skip nor repeat. Entries of different organizations may be
 * committed in another order than they were given their positions: before a page of the whole log is read, all writers under way are waited for (for
 * milliseconds), unless an earlier wait already covers the page. A cursor remembers up to where.
 */
export async function readEntries(database: Database, query: CheckedEntryQuery): Promise<EntryPage> {
  const after = query.cursor === undefined ? START : placeOf(query.cursor);
  const isWhole = query.organizationId === undefined && query.keyId === undefined;
  const isFirst = query.cursor === undefined;
  let settled = isWhole && isFirst ? await settleLog(database) : after.settled;
  let rows = await readRows(database, query, after);
  if (isWhole && !isFirst && firstUnsettled(rows, settled) < rows.length) {
    settled = await settleLog(database);
    rows = await readRows(database, query, after);
  }
  // What was written since the wait is for the next page, unless this one would be empty without it.
  const end = (isWhole && firstUnsettled(rows, settled)) || rows.length;
  const page = rows.slice(0, Math.min(end, query.limit));
  const last = page.at(-1);
  const ends = page.length === rows.length || last === undefined;
  return {
    entries: page.map(entryOfRow),
    nextCursor: ends ? null : `${last.atMs}.${last.position}.${settled < 0n ? 0n : settled}`,
  };
}

function firstUnsettled(rows: readonly EntryRow[], settled: bigint): number {
  const index = rows.findIndex(({ position }) => BigInt(position) > settled);
  return index === -1 ? rows.length : index;
}

async function settleLog({ read }: Database): Promise<bigint> {
  return BigInt((await read<string | number>('settle_log', () => [])) ?? 0);
}

/** A row more than the page has tells that there is a next page. */
async function readRows({ read }: Database, query: CheckedEntryQuery, after: Place): Promise<EntryRow[]> {
  const { organizationId = null, keyId = null, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = query;
  const { atMs, position } = fromMs > after.atMs ? { atMs: fromMs, position: -1n } : after;
  const values = [organizationId, keyId, atMs, String(position), toMs, query.limit + 1];
  return (await read<EntryRow[]>('list_entries', () => values)) ?? [];
}

function entryOfRow(row: EntryRow): LedgerEntry {
  const costs = { upstreamCost: amountOf(row.upstreamCost), tenantCost: amountOf(row.tenantCost) };
  return entryOf({ ...row, ...costs, amount: BigInt(row.amount), comment: row.note ?? row.reason });
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/** @throws LedgerError `invalid_cursor`. */
export function placeOf(cursor: string): Place {
  const [, atMs = '', position = '', settled = ''] = (typeof cursor === 'string' && CURSOR.exec(cursor)) || [];
  if (settled === '' || !Number.isSafeInteger(Number(atMs)) || BigInt(position) >= 2n ** 63n) {
    throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
  }
  return { atMs: Number(atMs), position: BigInt(position), settled: BigInt(settled) };
}
