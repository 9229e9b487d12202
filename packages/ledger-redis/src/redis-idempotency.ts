import {
  type Claim,
  type ClaimResult,
  checkClaim,
  checkClaimRequest,
  checkCompletion,
  type IdempotencyStore,
} from '@searchgate/core/ledger';
import type { Scripts } from './create-scripts.js';
import { CLAIM, COMPLETE, FREE } from './scripts/claim-scripts.js';

/** Claims of idempotency keys, each verb one script. */
export function redisIdempotency(scripts: Scripts): IdempotencyStore {
  return {
    async claim(request) {
      scripts.assertOpen();
      checkClaimRequest(request);
      const { claimId, fingerprint, nowMs, expiresAtMs } = request;
      const values = [claimId, fingerprint, `${nowMs}`, `${expiresAtMs}`];
      return claimResult(await scripts.run(CLAIM, values, nameOf(request)));
    },
    async complete(claim, response, keepUntilMs) {
      scripts.assertOpen();
      checkCompletion(claim, response, keepUntilMs);
      const values = [claim.claimId, `${response.status}`, response.body, `${keepUntilMs}`];
      return (await scripts.run(COMPLETE, values, nameOf(claim)))[0] === '1';
    },
    async free(claim) {
      scripts.assertOpen();
      checkClaim(claim);
      return (await scripts.run(FREE, [claim.claimId], nameOf(claim)))[0] === '1';
    },
  };
}

/** Ids of keys have no spaces, so the first one ends them. */
function nameOf({ keyId, idempotencyKey }: Claim): string {
  return `${keyId} ${idempotencyKey}`;
}

function claimResult([status, code, body = '']: readonly string[]): ClaimResult {
  if (status === 'finished') return { status, response: { status: Number(code), body } };
  return { status: status as 'claimed' | 'in_progress' | 'mismatch' };
}
