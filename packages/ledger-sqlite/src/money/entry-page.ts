import { type EntryPage, type EntryQuery, LedgerError } from '@searchgate/core';
import type { Connection } from '../engine/connection.js';
import { type EntryRow, entryOf, READ_ENTRIES } from './entry-log.js';

const CURSOR = /^\d{1,15}$/;
const LAST = 'SELECT max(seq) AS seq FROM searchgate_entries';

/*
 * Pages go by place in the log, times do not quite: where a clock was set back, an entry may be older than the one before it. So a range of times
 * is first narrowed to a range of places, by the times that only grow and by the few entries that are out of order; then each entry's own time decides.
 */
const FIRST_SINCE = 'SELECT seq FROM searchgate_entries WHERE latest_ms >= ? ORDER BY latest_ms, seq LIMIT 1';
const LAST_BEFORE = `SELECT max(
  coalesce((SELECT seq FROM searchgate_entries WHERE latest_ms < ? ORDER BY latest_ms DESC, seq DESC LIMIT 1), 0),
  coalesce((SELECT max(seq) FROM searchgate_entries WHERE at_ms < latest_ms AND at_ms < ?), 0)) AS seq`;

interface SeqRow {
  readonly seq: bigint | null;
}

/** The first `limit` entries of a query from its cursor on. A cursor is the place of the entry a page begins with. */
export function pageOfEntries(connection: Connection, query: EntryQuery, limit: number): EntryPage {
  const { organizationId, keyId, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = query;
  const [first, last] = placesOf(connection, query);
  const conditions = ['seq BETWEEN ? AND ?', 'at_ms >= ?', 'at_ms < ?'];
  const parameters: (bigint | string)[] = [first, last, BigInt(fromMs), BigInt(toMs)];
  if (organizationId !== undefined) {
    conditions.push('organization_id = ?');
    parameters.push(organizationId);
  }
  if (keyId !== undefined) {
    conditions.push('key_id = ?');
    parameters.push(keyId);
  }
  const sql = `${READ_ENTRIES} WHERE ${conditions.join(' AND ')} ORDER BY seq LIMIT ?`;
  const rows = connection.statement<EntryRow>(sql).all(...parameters, BigInt(limit + 1));
  const next = rows.length > limit ? rows.pop() : undefined;
  return { entries: rows.map(entryOf), nextCursor: next === undefined ? null : String(next.seq) };
}

/** The first and the last place a query can find anything at. @throws LedgerError `invalid_cursor`. */
function placesOf(connection: Connection, { cursor, fromMs, toMs }: EntryQuery): readonly [bigint, bigint] {
  const end = connection.statement<SeqRow>(LAST).get()?.seq ?? 0n;
  let first = cursor === undefined ? 1n : startOf(cursor, end);
  let last = end;
  if (fromMs !== undefined) {
    const since = connection.statement<SeqRow>(FIRST_SINCE).get(BigInt(fromMs))?.seq ?? end + 1n;
    first = since > first ? since : first;
  }
  if (toMs !== undefined) last = connection.statement<SeqRow>(LAST_BEFORE).get(BigInt(toMs), BigInt(toMs))?.seq ?? 0n;
  return [first, last];
}

function startOf(cursor: string, end: bigint): bigint {
  const start = CURSOR.test(cursor) ? BigInt(cursor) : 0n;
  if (start >= 1n && start <= end) return start;
  throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
}
