import type { HoldRecord } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

interface RecordRow {
  readonly organization_id: string;
  readonly key_id: string;
  readonly status: HoldRecord['status'];
  readonly cost: bigint | null;
  readonly model: string;
  readonly provider: string | null;
  readonly created_at_ms: bigint;
  readonly ended_at_ms: bigint | null;
}

const FIND = `SELECT organization_id, key_id, status, cost, model, provider, created_at_ms, ended_at_ms
  FROM searchgate_holds WHERE id = ?`;

/** `undefined` for a hold that is not known, or not any more. */
export function findHold(connection: Connection, holdId: string): HoldRecord | undefined {
  const row = connection.statement<RecordRow>(FIND).get(holdId);
  if (row === undefined) return undefined;
  const { status, model, provider } = row;
  const owner = { organizationId: row.organization_id, keyId: row.key_id };
  const endedAtMs = row.ended_at_ms === null ? null : Number(row.ended_at_ms);
  const times = { createdAtMs: Number(row.created_at_ms), endedAtMs };
  return { holdId, ...owner, status, cost: row.cost ?? 0n, model, provider, ...times };
}
