import type { Claim, ClaimRequest, ClaimResult, StoredResponse } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { SqliteState } from '../money/sqlite-state.js';

interface ClaimRow {
  readonly claim_id: string;
  readonly fingerprint: string;
  readonly ends_at_ms: bigint;
  readonly status: bigint | null;
  readonly body: Uint8Array | null;
}

const READ_CLAIM = `SELECT claim_id, fingerprint, ends_at_ms, status, body FROM searchgate_claims
  WHERE key_id = ? AND idempotency_key = ?`;
const WRITE_CLAIM = `INSERT INTO searchgate_claims (key_id, idempotency_key, claim_id, fingerprint, organization_id, ends_at_ms)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key_id, idempotency_key) DO UPDATE SET claim_id = excluded.claim_id,
  fingerprint = excluded.fingerprint, organization_id = excluded.organization_id, ends_at_ms = excluded.ends_at_ms,
  status = NULL, body = NULL`;
const FINISH_CLAIM = `INSERT INTO searchgate_claims AS c
  (status, body, ends_at_ms, key_id, idempotency_key, claim_id, fingerprint, organization_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key_id, idempotency_key) DO UPDATE SET claim_id = excluded.claim_id, ends_at_ms = excluded.ends_at_ms,
  status = excluded.status, body = excluded.body WHERE c.status IS NULL AND c.fingerprint = excluded.fingerprint`;
const FIND_FINISHED = `SELECT 1 AS found FROM searchgate_claims
  WHERE key_id = ? AND idempotency_key = ? AND claim_id = ? AND status IS NOT NULL`;
const DELETE_CLAIM = `DELETE FROM searchgate_claims
  WHERE key_id = ? AND idempotency_key = ? AND claim_id = ? AND status IS NULL`;
const PRUNE_CLAIMS = `DELETE FROM searchgate_claims WHERE rowid IN (SELECT rowid FROM searchgate_claims
  WHERE ends_at_ms < ? ORDER BY ends_at_ms LIMIT ?)`;

export function claimName({ connection }: SqliteState, request: ClaimRequest): ClaimResult {
  const { keyId, idempotencyKey, claimId, fingerprint, organizationId, nowMs, expiresAtMs } = request;
  const row = connection.statement<ClaimRow>(READ_CLAIM).get(keyId, idempotencyKey);
  const taken = row === undefined || row.ends_at_ms <= BigInt(nowMs) ? undefined : takenBy(row, request);
  if (taken !== undefined) return taken;
  const claim = [keyId, idempotencyKey, claimId, fingerprint, organizationId ?? null] as const;
  connection.statement(WRITE_CLAIM).run(...claim, BigInt(expiresAtMs));
  return { status: 'claimed' };
}

/** The same claim completes again what it has completed, since its caller may not know whether the first time arrived. */
export function completeClaim(
  { connection }: SqliteState,
  { keyId, idempotencyKey, claimId, fingerprint, organizationId }: Claim,
  { response, keepUntilMs }: { readonly response: StoredResponse; readonly keepUntilMs: number },
): boolean {
  const name = [keyId, idempotencyKey, claimId] as const;
  // As bytes: drivers disagree about a NUL in a text.
  const stored = [BigInt(response.status), Buffer.from(response.body), BigInt(keepUntilMs)] as const;
  if (connection.statement(FINISH_CLAIM).run(...stored, ...name, fingerprint, organizationId ?? null) > 0) return true;
  return connection.statement(FIND_FINISHED).get(...name) !== undefined;
}

export function freeClaim({ connection }: SqliteState, { keyId, idempotencyKey, claimId }: Claim): boolean {
  return connection.statement(DELETE_CLAIM).run(keyId, idempotencyKey, claimId) > 0;
}

/** How many names are looked at in one transaction. */
const ERASED_AT_ONCE = 1_000n;
/** A name that was finished stays for a while: a completion that is repeated must not bring the response back. */
const ERASED_MS = 60_000n;

// No claim has an empty id or fingerprint, so none can complete such a name.
const ERASE_CLAIMS = `UPDATE searchgate_claims SET claim_id = '', fingerprint = '',
  ends_at_ms = iif(status IS NULL, ends_at_ms, min(ends_at_ms, ?)), status = NULL, body = NULL
  WHERE rowid >= ? AND rowid < ? AND organization_id = ?`;
const SPAN = 'SELECT min(rowid) AS first, max(rowid) AS last FROM searchgate_claims';

/** Takes the responses of an organization away, some names in each transaction. @returns how many names it had. */
export async function eraseClaims({ read, write }: Access, organizationId: string): Promise<number> {
  const { first, last } = await read((connection) => connection.statement<Record<string, bigint>>(SPAN).get() ?? {});
  let erased = 0;
  for (let from = first ?? 1n; from <= (last ?? 0n); from += ERASED_AT_ONCE) {
    erased += await write(({ connection, nowMs }) =>
      connection.statement(ERASE_CLAIMS).run(BigInt(nowMs) + ERASED_MS, from, from + ERASED_AT_ONCE, organizationId),
    );
  }
  return erased;
}

/** Forgets up to `most` names that have been free since before `beforeMs`. @returns how many. */
export function pruneClaims({ connection }: SqliteState, beforeMs: number, most: number): number {
  return connection.statement(PRUNE_CLAIMS).run(BigInt(beforeMs), BigInt(most));
}

/** Why a name that is not free cannot be claimed; `undefined` for the claim that holds it already. */
function takenBy(row: ClaimRow, { claimId, fingerprint }: ClaimRequest): ClaimResult | undefined {
  if (row.status === null && row.claim_id === claimId) return undefined;
  if (row.fingerprint !== fingerprint) return { status: 'mismatch' };
  if (row.status === null || row.body === null) return { status: 'in_progress' };
  return { status: 'finished', response: { status: Number(row.status), body: Buffer.from(row.body).toString() } };
}
