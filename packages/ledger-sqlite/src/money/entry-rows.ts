import { entryOf, type LedgerEntry } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

/** A row of the log. */
export interface EntryRow {
  readonly seq: bigint;
  readonly kind: LedgerEntry['kind'];
  readonly id: string;
  readonly organization_id: string;
  readonly key_id: string | null;
  readonly amount: bigint;
  readonly at_ms: bigint;
  readonly comment: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly cost_source: string | null;
  readonly upstream_cost: bigint | null;
  readonly late: bigint | null;
  readonly tag: string | null;
}

export const READ_ENTRIES = `SELECT seq, kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, cost_source,
  upstream_cost, late, tag FROM searchgate_entries`;

const LATEST = 'SELECT at_ms FROM searchgate_entries WHERE seq = (SELECT max(seq) FROM searchgate_entries)';
const NOTE_SETBACK = `INSERT INTO searchgate_clock_setbacks (seq)
  SELECT coalesce(max(seq), 0) + 1 FROM searchgate_entries`;
const APPEND = `INSERT INTO searchgate_entries
  (kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, cost_source, upstream_cost, late, tag)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Called where an entry is about to be written. @returns what writes the entries of one transaction. */
export function appendTo(connection: Connection, nowMs: number): (entry: LedgerEntry) => void {
  const atMs = BigInt(nowMs);
  const latest = connection.statement<{ readonly at_ms: bigint }>(LATEST).get();
  if (latest !== undefined && latest.at_ms > atMs) connection.statement(NOTE_SETBACK).run();
  const statement = connection.statement(APPEND);
  return (entry) => {
    const { kind, id, organizationId, keyId, amount } = entry;
    const comment = 'note' in entry ? entry.note : 'reason' in entry ? entry.reason : null;
    const model = 'model' in entry ? entry.model : null;
    const provider = 'provider' in entry ? entry.provider : null;
    const costSource = 'costSource' in entry ? entry.costSource : null;
    const upstreamCost = ('upstreamCost' in entry ? entry.upstreamCost : null) ?? null;
    const late = 'late' in entry ? BigInt(entry.late) : null;
    const tag = ('tag' in entry ? entry.tag : null) ?? null;
    const served = [comment, model, provider, costSource, upstreamCost, late, tag] as const;
    statement.run(kind, id, organizationId, keyId, amount, atMs, ...served);
  };
}

export function entryOfRow(row: EntryRow): LedgerEntry {
  const { kind, id, amount, comment, model, provider } = row;
  return entryOf({
    kind,
    id,
    organizationId: row.organization_id,
    keyId: row.key_id,
    amount,
    atMs: Number(row.at_ms),
    comment,
    model,
    provider,
    costSource: row.cost_source,
    upstreamCost: row.upstream_cost,
    late: row.late === 1n,
    tag: row.tag,
  });
}
