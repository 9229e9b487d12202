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

  async function releaseWhenHeld(holdId: string, holding: Promise<HoldResult>): Promise<void> {
    const result = await holding;
    if (result.status === 'held') await ledger.release(holdId, { reason: 'hold_timed_out' });
  }

  return {
    grant: (grant) => limit.run(() => ledger.grant(grant), timedOut),
    adjust: (adjustment) => limit.run(() => ledger.adjust(adjustment), timedOut),
    hold: (request) =>
      limit.run(
        () => ledger.hold(request),
        (holding) => {
          releaseWhenHeld(request.holdId, holding).catch(() => undefined);
          return timedOut();
        },
      ),
    admit: (request) => limit.run(() => ledger.admit(request), timedOut),
    ratesUsed: (request) => limit.run(() => ledger.ratesUsed(request), timedOut),
    settle: (holdId, charge) => limit.run(() => ledger.settle(holdId, charge), timedOut),
    release: (holdId, release) => limit.run(() => ledger.release(holdId, release), timedOut),
    expireHolds: (nowMs) => limit.run(() => ledger.expireHolds(nowMs), timedOut),
    organizationTotals: (organizationId) => limit.run(() => ledger.organizationTotals(organizationId), timedOut),
    keyTotals: (keyId, limitReset) => limit.run(() => ledger.keyTotals(keyId, limitReset), timedOut),
    usage: (query) => limit.run(() => ledger.usage(query), timedOut),
    findHold: (holdId) => limit.run(() => ledger.findHold(holdId), timedOut),
    entries: (query) => limit.run(() => ledger.entries(query), timedOut),
    close: () => ledger.close(),
  };
}
