import { createOpenState, type MaybePromise, type OpenState } from '../base/options/open-state.js';
import { checkClaim, checkClaimRequest, checkCompletion } from './check-claim.js';
import type { Claim, ClaimRequest, ClaimResult, IdempotencyStore, StoredResponse } from './idempotency-store.js';

/** The operations of an `IdempotencyStore`, with checked arguments. Each operation is one atomic step. */
export interface IdempotencyEngine {
  claim(request: ClaimRequest): MaybePromise<ClaimResult>;
  complete(claim: Claim, response: StoredResponse, keepUntilMs: number): MaybePromise<boolean>;
  free(claim: Claim): MaybePromise<boolean>;
}

/**
 * Makes an {@link IdempotencyStore} of an engine, with the argument checks that all stores share.
 *
 * @param open the open state of the ledger that the store belongs to. Default: always open.
 */
export function createIdempotencyStore(
  engine: IdempotencyEngine,
  open: OpenState = createOpenState(),
): IdempotencyStore {
  return {
    async claim(request) {
      open.check();
      checkClaimRequest(request);
      return open.during(engine.claim(request));
    },
    async complete(claim, response, keepUntilMs) {
      open.check();
      checkCompletion(claim, response, keepUntilMs);
      return open.during(engine.complete(claim, response, keepUntilMs));
    },
    async free(claim) {
      open.check();
      checkClaim(claim);
      return open.during(engine.free(claim));
    },
  };
}
