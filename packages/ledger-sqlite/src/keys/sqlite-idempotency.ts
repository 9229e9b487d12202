import { checkClaim, checkClaimRequest, checkCompletion, type IdempotencyStore } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import { claimName, completeClaim, freeClaim } from './stored-claims.js';

/**
 * The claims of `Idempotency-Key`s in the ledger's database. A claim that has expired can still be completed for as long as nobody else has taken its
 * name, and its row is there.
 */
export function sqliteIdempotency({ write }: Access): IdempotencyStore {
  return {
    async claim(request) {
      checkClaimRequest(request);
      return write((books) => claimName(books, request));
    },
    async complete(claim, response, keepUntilMs) {
      checkCompletion(claim, response, keepUntilMs);
      return write((books) => completeClaim(books, claim, { response, keepUntilMs }));
    },
    async free(claim) {
      checkClaim(claim);
      return write((books) => freeClaim(books, claim));
    },
  };
}
