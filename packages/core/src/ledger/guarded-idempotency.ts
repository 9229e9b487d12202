import { LedgerError } from '../base/errors/ledger-error.js';
import { createTimeLimit } from '../base/time/time-limit.js';
import type { GuardOptions } from './guarded-ledger.js';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from './idempotency-store.js';

/**
 * Puts a time limit on the operations of a store, as `guardLedger` does for a ledger: past it the operation rejects with `LedgerError` `ledger_timeout`.
 *
 * A caller whose claim ends in an error makes no call, yet the claim may have arrived. So it is freed in the background, once; where even that
 * fails, it expires. Completing and freeing may safely succeed late, because they act on their own claim alone.
 */
export function guardIdempotency(store: IdempotencyStore, { timeoutMs, clock }: GuardOptions): IdempotencyStore {
  const limit = createTimeLimit(clock, timeoutMs);
  const timedOut = () =>
    new LedgerError('ledger_timeout', `the idempotency store did not answer within ${timeoutMs} ms`);

  function freeInBackground(request: ClaimRequest): void {
    // Within a promise, so that a store that throws instead of rejecting does no harm either.
    Promise.resolve(request)
      .then((held) => store.free(held))
      .catch(() => undefined);
  }

  /** An error may have come after the claim. */
  async function claim(request: ClaimRequest): Promise<ClaimResult> {
    try {
      return await store.claim(request);
    } catch (error) {
      freeInBackground(request);
      throw error;
    }
  }

  return {
    claim: (request) =>
      limit.run(
        () => claim(request),
        (claiming) => {
          claiming.then(
            ({ status }) => {
              if (status === 'claimed') freeInBackground(request);
            },
            () => undefined,
          );
          return timedOut();
        },
      ),
    complete: (held, response, keepUntilMs) => limit.run(() => store.complete(held, response, keepUntilMs), timedOut),
    free: (held) => limit.run(() => store.free(held), timedOut),
  };
}
