import { type LedgerEntry, type ReplayedEntry, type StoredEntry } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { type Fields, flag, ids, plain, type Rows, rowsOf, whole } from '../engine/rows.js';

const OF_REPLAY: Fields<ReplayedEntry> = {
  kind: plain('kind'),
  organizationId: plain('organization_id'),
  keyId: plain('key_id'),
  amount: plain('amount'),
  atMs: whole('at_ms'),
  budgets: ids('budgets', null),
};
const REPLAYED = rowsOf(OF_REPLAY);
const OF_ENTRY: Fields<Omit<StoredEntry, 'tenantCost'>> = {
  ...OF_REPLAY,
  id: plain('id'),
  comment: plain('comment'),
  model: plain('model'),
  provider: plain('provider'),
  costSource: plain('cost_source'),
  upstreamCost: plain('upstream_cost'),
  late: flag('late'),
  tag: plain('tag'),
};
const MOST_ENTRIES = rowsOf(OF_ENTRY);
const ENTRIES = rowsOf<StoredEntry>({ ...OF_ENTRY, tenantCost: plain('tenant_cost') });

const LATEST = 'SELECT at_ms FROM searchgate_entries WHERE seq = (SELECT max(seq) FROM searchgate_entries)';
const NOTE_SETBACK = `INSERT INTO searchgate_clock_setbacks (seq)
  SELECT coalesce(max(seq), 0) + 1 FROM searchgate_entries`;
const APPEND = `INSERT INTO searchgate_entries (${MOST_ENTRIES.columns}) VALUES (${MOST_ENTRIES.marks})`;
const APPEND_OWN = `INSERT INTO searchgate_entries (${ENTRIES.columns}) VALUES (${ENTRIES.marks})`;

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
  const atMs = BigInt(nowMs);
  // Written out, since every charge comes here: a list made by ENTRIES takes several times as long.
  return (entry) => {
    const { kind, id, organizationId, keyId, amount } = entry;
    const comment = 'note' in entry ? entry.note : 'reason' in entry ? entry.reason : null;
    const model = 'model' in entry ? entry.model : null;
    const provider = 'provider' in entry ? entry.provider : null;
    const costSource = 'costSource' in entry ? entry.costSource : null;
    const upstreamCost = ('upstreamCost' in entry ? entry.upstreamCost : null) ?? null;
    const late = 'late' in entry ? BigInt(entry.late) : null;
    const tag = ('tag' in entry ? entry.tag : null) ?? null;
    const budgets = ('budgets' in entry ? entry.budgets?.join(' ') : null) ?? null;
    const served = [comment, model, provider, costSource, upstreamCost, late, tag] as const;
    const values = [kind, organizationId, keyId, amount, atMs, budgets, id, ...served] as const;
    const tenantCost = 'tenantCost' in entry ? entry.tenantCost : undefined;
    if (tenantCost === undefined) statement.run(...values);
    else connection.statement(APPEND_OWN).run(...values, tenantCost);
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

function readWhere<Entry>({ columns, recordOf }: Rows<Entry>, condition: string): ReadPlaced<Entry> {
  const sql = `SELECT seq, ${columns} FROM searchgate_entries WHERE ${condition}`;
  return (connection, ...values) =>
    connection
      .tuples(sql)
      .all(...values)
      .map((row) => ({ seq: row[0] as bigint, entry: recordOf(row, 1) }));
}
