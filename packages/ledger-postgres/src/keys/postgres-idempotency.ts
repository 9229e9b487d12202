import { randomUUID } from 'node:crypto';
import type { Claim, ClaimResult, IdempotencyEngine } from '@searchgate/core/ledger';
import type { Batchers } from '../engine/batchers.js';

/** An operation as `apply_claims` reads it. */
export type ClaimOperation = Readonly<Record<string, unknown>>;

/** What `apply_claims` answers: a claim's result, or whether the claim was still held. */
export type ClaimAnswer = ClaimedAnswer | boolean;

type ClaimedAnswer =
  | { readonly status: 'claimed' | 'in_progress' | 'mismatch' }
  | { readonly status: 'finished'; readonly responseStatus: number; readonly body: string };

/** Claims have batchers of their own, so that a long answer to be kept never stands in the way of money. */
export function postgresIdempotency(batchers: Batchers<ClaimOperation, ClaimAnswer>): IdempotencyEngine {
  const submit = (operation: string, claim: Claim, fields: ClaimOperation) => {
    const { keyId, idempotencyKey, claimId, fingerprint } = claim;
    const name = { operation, key_id: keyId, idempotency_key: idempotencyKey, claim_id: claimId, fingerprint };
    return batchers.submit(keyId, { ...name, ...fields });
  };

  return {
    async claim(request) {
      const { nowMs, expiresAtMs } = request;
      const answer = await submit('claim', request, { now_ms: nowMs, until_ms: expiresAtMs });
      return readClaim(answer as ClaimedAnswer);
    },
    async complete(claim, { status, body }, keepUntilMs) {
      // As JSON once more: a PostgreSQL text has no NUL and no half of a surrogate pair, a JSON text spells both out.
      return (await submit('complete', claim, { status, body: JSON.stringify(body), until_ms: keepUntilMs })) === true;
    },
    async free(claim) {
      return (await submit('free', claim, { token: randomUUID() })) === true;
    },
  };
}

function readClaim(answer: ClaimedAnswer): ClaimResult {
  if (answer.status !== 'finished') return { status: answer.status };
  return { status: 'finished', response: { status: answer.responseStatus, body: JSON.parse(answer.body) as string } };
}
