import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type ClaimResult,
  checkClaim,
  checkClaimRequest,
  checkCompletion,
  type IdempotencyStore,
} from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import type { Lanes } from '../engine/lanes.js';

/** A verb as `apply_claims` reads it. */
export type ClaimVerb = Readonly<Record<string, unknown>>;

/** What `apply_claims` answers: a claim's result, or whether the claim was still held. */
export type ClaimAnswer =
  | boolean
  | { readonly status: 'claimed' | 'in_progress' | 'mismatch' }
  | { readonly status: 'finished'; readonly responseStatus: number; readonly body: string };

/** Claims travel in lanes of their own, so that a long answer to be kept never stands in the way of money. */
export function postgresIdempotency({ checkOpen }: Database, lanes: Lanes<ClaimVerb, ClaimAnswer>): IdempotencyStore {
  const submit = (verb: string, claim: Claim, fields: ClaimVerb = {}) => {
    const { keyId, idempotencyKey, claimId } = claim;
    const name = { verb, key_id: keyId, idempotency_key: idempotencyKey, claim_id: claimId };
    return lanes.submit(keyId, { ...name, ...fields });
  };

  return {
    async claim(request) {
      checkOpen();
      checkClaimRequest(request);
      const { fingerprint, nowMs, expiresAtMs } = request;
      return readClaim(await submit('claim', request, { fingerprint, now_ms: nowMs, until_ms: expiresAtMs }));
    },
    async complete(claim, response, keepUntilMs) {
      checkOpen();
      checkCompletion(claim, response, keepUntilMs);
      // As JSON once more: a PostgreSQL text has no NUL and no half of a surrogate pair, a JSON text spells both out.
      const { status, body } = response;
      return (await submit('complete', claim, { status, body: JSON.stringify(body), until_ms: keepUntilMs })) === true;
    },
    async free(claim) {
      checkOpen();
      checkClaim(claim);
      return (await submit('free', claim, { token: randomUUID() })) === true;
    },
  };
}

function readClaim(answer: ClaimAnswer): ClaimResult {
  if (typeof answer === 'boolean') throw new TypeError('a claim was answered like an ending');
  if (answer.status !== 'finished') return { status: answer.status };
  return { status: 'finished', response: { status: answer.responseStatus, body: JSON.parse(answer.body) as string } };
}
