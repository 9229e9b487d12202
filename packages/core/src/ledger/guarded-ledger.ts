import { LedgerError } from '../base/errors/ledger-error.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/time-limit.js';
import type { HoldResult, Ledger } from './ledger.js';

export interface GuardOptions {
  /** Longest wait for any one operation. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/**
 * Puts a time limit on the operations of a ledger, so that an engine that hangs cannot hang the requests: past it the operation rejects with
 * `LedgerError` `ledger_timeout`. Errors of the engine pass through unchanged, also those it throws instead of rejecting.
 *
 * A hold that succeeds after its time is up is released in the background (reason `hold_timed_out`), since its caller has
 * been refused by then; where even that fails, the hold expires. Every other operation may safely succeed late, because grants, adjustments and
 * endings are idempotent by their ids, and an admission only counts against a rate. `close` has no limit: it flushes.
 */
export function guardLedger(ledger: Ledger, { timeoutMs, clock }: GuardOptions): Ledger {
  const limit = createTimeLimit(clock, timeoutMs);
  const timedOut = () => new LedgerError('ledger_timeout', `the ledger did not answer within ${timeoutMs} ms`);
  const limited = <T>(start: () => Promise<T>): Promise<T> => limit.run(start, timedOut);

  async function releaseWhenHeld(holdId: string, holding: Promise<HoldResult>): Promise<void> {
    const result = await holding;
    if (result.status === 'held') await ledger.release(holdId, { reason: 'hold_timed_out' });
  }

  return {
    grant: (grant) => limited(() => ledger.grant(grant)),
    adjust: (adjustment) => limited(() => ledger.adjust(adjustment)),
    hold: (request) =>
      limit.run(
        () => ledger.hold(request),
        (holding) => {
          releaseWhenHeld(request.holdId, holding).catch(() => undefined);
          return timedOut();
        },
      ),
    admit: (request) => limited(() => ledger.admit(request)),
    ratesUsed: (request) => limited(() => ledger.ratesUsed(request)),
    settle: (holdId, charge) => limited(() => ledger.settle(holdId, charge)),
    release: (holdId, release) => limited(() => ledger.release(holdId, release)),
    expireHolds: (nowMs) => limited(() => ledger.expireHolds(nowMs)),
    organizationTotals: (organizationId) => limited(() => ledger.organizationTotals(organizationId)),
    keyTotals: (keyId, limitReset) => limited(() => ledger.keyTotals(keyId, limitReset)),
    usage: (query) => limited(() => ledger.usage(query)),
    findHold: (holdId) => limited(() => ledger.findHold(holdId)),
    entries: (query) => limited(() => ledger.entries(query)),
    close: () => ledger.close(),
  };
}
