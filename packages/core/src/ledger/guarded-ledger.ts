import type { Clock } from '../clock.js';
import { LedgerError } from '../errors.js';
import { withTimeLimit } from '../time-limit.js';
import type { Ledger } from './ledger.js';

export interface GuardOptions {
  /** Longest wait for any one verb. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Puts a time limit on every verb of a ledger, so that an engine that hangs cannot hang the requests. Errors of the engine pass through.
 *
 * A hold that succeeds after its time is up is released at once: whoever asked for it has been refused meanwhile. Every other verb may safely succeed late,
 * since grants, adjustments and endings are idempotent by their ids. `close` is not limited: it flushes.
 */
export function guardLedger(ledger: Ledger, { timeoutMs, clock }: GuardOptions): Ledger {
  const limit = {
    clock,
    onTimeout: () => new LedgerError('ledger_timeout', `the ledger did not answer within ${timeoutMs} ms`),
  };
  const limited = <T>(work: Promise<T>): Promise<T> => withTimeLimit(work, timeoutMs, limit);

  return {
    grant: (grant) => limited(ledger.grant(grant)),
    adjust: (adjustment) => limited(ledger.adjust(adjustment)),
    hold(request) {
      const holding = ledger.hold(request);
      return limited(holding).catch((error: unknown) => {
        if (error instanceof LedgerError && error.reason === 'ledger_timeout') releaseLater(ledger, request.holdId, holding);
        throw error;
      });
    },
    settle: (holdId, charge) => limited(ledger.settle(holdId, charge)),
    release: (holdId, release) => limited(ledger.release(holdId, release)),
    expireHolds: (nowMs, policy) => limited(ledger.expireHolds(nowMs, policy)),
    organizationTotals: (organizationId) => limited(ledger.organizationTotals(organizationId)),
    keyTotals: (keyId) => limited(ledger.keyTotals(keyId)),
    entries: (query) => limited(ledger.entries(query)),
    close: () => ledger.close(),
  };
}

/** Frees a hold nobody waits for any more. Where that fails too, the hold expires. */
function releaseLater(ledger: Ledger, holdId: string, holding: ReturnType<Ledger['hold']>): void {
  holding
    .then((result) => (result.status === 'held' ? ledger.release(holdId, { reason: 'hold_timed_out' }) : undefined))
    .catch(() => undefined);
}
