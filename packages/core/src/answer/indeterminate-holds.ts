import { isLedgerError } from '../base/errors/ledger-error.js';
import type { Logger } from '../base/events/logger.js';
import type { Clock } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import { createBackgroundRetry, isFinal } from './background-retry.js';

/** Holds of which it is not known whether they were placed: the ledger failed before it said so. Their callers were refused. */
export interface IndeterminateHolds {
  /**
   * Releases one in the background, so that it takes no money and no slot, and is not charged when it expires. Retried as endings are, which is safe
   * because no other call has the id.
   */
  release(holdId: string): void;
  /** Tries everything that is left once more and stops. */
  close(): Promise<void>;
}

/** Tries with a second and two between them, since a hold that was on its way may be placed after the first one. */
const TRIES_UNTIL_UNKNOWN = 3;

export function createIndeterminateHolds({
  ledger,
  clock,
  logger,
}: {
  readonly ledger: Pick<Ledger, 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
}): IndeterminateHolds {
  const releases = createBackgroundRetry<string>({
    clock,
    attempt: (holdId) => ledger.release(holdId, { reason: 'hold_failed' }),
    isPermanent: (error, tries) => isFinal(error) && !(isUnknown(error) && tries < TRIES_UNTIL_UNKNOWN),
    failed(holdId, { error, final }) {
      // It was never placed, which is what was wanted.
      if (isUnknown(error)) return;
      if (final) logger.error({ error, holdId }, 'the ledger could not release a hold that it may have placed');
    },
    recovered: () => undefined,
  });
  return { release: (holdId) => void releases.run(holdId), close: () => releases.close() };
}

function isUnknown(error: unknown): boolean {
  return isLedgerError(error) && error.reason === 'unknown_hold';
}
