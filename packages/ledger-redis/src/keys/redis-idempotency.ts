import type { Claim, ClaimResult, IdempotencyEngine } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { CLAIM, COMPLETE, FREE } from '../scripts/claim-scripts.js';

/** Claims of idempotency keys, each operation one script. */
export function redisIdempotency(scripts: Scripts): IdempotencyEngine {
  return {
    async claim(request) {
      const { claimId, fingerprint, nowMs, expiresAtMs } = request;
      const values = [claimId, fingerprint, `${nowMs}`, `${expiresAtMs}`];
      return claimResult(await scripts.run(CLAIM, values, nameOf(request)));
    },
    async complete(claim, { status, body }, keepUntilMs) {
      const values = [claim.claimId, claim.fingerprint, `${status}`, body, `${keepUntilMs}`];
      return (await scripts.run(COMPLETE, values, nameOf(claim)))[0] === '1';
    },
    async free(claim) {
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
