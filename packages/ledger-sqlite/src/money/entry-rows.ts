import { type LedgerEntry, type ReplayedEntry, type StoredEntry, storedOf } from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { optional, plain, rowsOf, whole } from '../engine/rows.js';

const REPLAYED = rowsOf<ReplayedEntry>({
  kind: plain('kind'),
  organizationId: plain('organization_id'),
  keyId: plain('key_id'),
  amount: plain('amount'),
  atMs: whole('at_ms'),
});
const ENTRIES = rowsOf<StoredEntry>({
  kind: plain('kind'),
  id: plain('id'),
  organizationId: plain('organization_id'),
  keyId: plain('key_id'),
  amount: plain('amount'),
  atMs: whole('at_ms'),
  comment: plain('comment'),
  model: plain('model'),
  provider: plain('provider'),
  costSource: plain('cost_source'),
  upstreamCost: optional('upstream_cost'),
  late: { columns: ['late'], store: (late) => [BigInt(late)], load: (late) => late === 1n },
  tag: optional('tag'),
});

const LATEST = 'SELECT at_ms FROM searchgate_entries WHERE seq = (SELECT max(seq) FROM searchgate_entries)';
const NOTE_SETBACK = `INSERT INTO searchgate_clock_setbacks (seq)
  SELECT coalesce(max(seq), 0) + 1 FROM searchgate_entries`;
const APPEND = `INSERT INTO searchgate_entries (${ENTRIES.columns}) VALUES (${ENTRIES.marks})`;

/** An entry and its place in the log. */
export interface Placed<Entry> {
  readonly seq: bigint;
  readonly entry: Entry;
}

/** Called where an entry is about to be written. @returns what writes the entries of one transaction. */
export function appendTo(connection: Connection, nowMs: number): (entry: LedgerEntry) => void {
  const latest = connection.statement<{ readonly at_ms: bigint }>(LATEST).get();
  if (latest !== undefined && latest.at_ms > BigInt(nowMs)) connection.statement(NOTE_SETBACK).run();
  const statement = connection.statement(APPEND);
  return (entry) => {
    statement.run(...ENTRIES.valuesOf({ ...storedOf(entry), atMs: nowMs }));
  };
}

export type ReadPlaced<Entry> = (connection: Connection, ...values: (string | bigint)[]) => Placed<Entry>[];

/** @param condition and order, behind `WHERE`. */
export function readEntriesWhere(condition: string): ReadPlaced<StoredEntry> {
  return readWhere(ENTRIES, condition);
}

/** Of each entry as much as a replay needs. */
export function readReplayedWhere(condition: string): ReadPlaced<ReplayedEntry> {
  return readWhere(REPLAYED, condition);
}

function readWhere<Entry>(
  { columns, recordOf }: { columns: string; recordOf: (row: readonly SqliteValue[]) => Entry },
  condition: string,
): ReadPlaced<Entry> {
  const sql = `SELECT seq, ${columns} FROM searchgate_entries WHERE ${condition}`;
  return (connection, ...values) =>
    connection
      .tuples(sql)
      .all(...values)
      .map(([seq, ...row]) => ({ seq: seq as bigint, entry: recordOf(row) }));
}
