import { isLedgerError } from '../base/errors/ledger-error.js';
import type { Logger } from '../base/events/logger.js';
import type { Clock } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import { createBackgroundRetry, isFinal } from './background-retry.js';

/** Holds that may or may not have been placed, because the ledger failed. Their callers were refused. */
export type IndeterminateHolds = ReturnType<typeof createIndeterminateHolds>;

/** Tries with pauses of one and two seconds, because a delayed request may place the hold after the first try. */
const TRIES_UNTIL_UNKNOWN = 3;

interface IndeterminateHoldsDeps {
  readonly ledger: Pick<Ledger, 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createIndeterminateHolds({ ledger, clock, logger }: IndeterminateHoldsDeps) {
  const releases = createBackgroundRetry<string>({
    clock,
    attempt: (holdId) => ledger.release(holdId, { reason: 'hold_failed' }),
    isPermanent: (error, tries) => isFinal(error) && !(isUnknown(error) && tries < TRIES_UNTIL_UNKNOWN),
    failed(holdId, { error, final }) {
      // The hold was never placed: there is nothing to release.
      if (isUnknown(error)) return;
      if (final) logger.error({ error, holdId }, 'the ledger could not release a hold that it may have placed');
    },
    recovered: () => undefined,
  });
  return {
    /**
     * Releases a hold in the background, so that it does not block money and a slot until it expires. Failed releases are retried, which is safe because
     * no other call has the id.
     */
    release: (holdId: string) => void releases.run(holdId),
    /** Tries all remaining releases once more and stops. */
    close: () => releases.close(),
  };
}

function isUnknown(error: unknown): boolean {
  return isLedgerError(error) && error.reason === 'unknown_hold';
}
