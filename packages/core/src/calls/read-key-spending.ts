import type { ApiKey } from '../auth/api-key.js';
import type { Logger } from '../events/logger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { NanoUsd } from '../money/money.js';
import type { Clock } from '../time/clock.js';
import { isoTime } from '../time/iso-time.js';
import { type LimitReset, limitWindowAt } from '../time/limit-window.js';
import { readTotals } from './read-totals.js';

/** What a key has spent and may still spend. */
export interface KeySpending {
  /** Of all time. */
  readonly usage: NanoUsd;
  /** In the present window, where the limit resets; never below zero. `null` for no limit. */
  readonly remaining: NanoUsd | null;
  /** `null` for a limit that never resets, and for none. */
  readonly limitReset: LimitReset | null;
  /** When the limit resets, such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
}

export interface SpendingDeps {
  readonly ledger: Pick<Ledger, 'keyTotals'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** @throws RequestError `ledger_unavailable`. */
export async function readKeySpending(
  { ledger, clock, logger }: SpendingDeps,
  { id, limit, limitReset: reset }: Pick<ApiKey, 'id' | 'limit' | 'limitReset'>,
): Promise<KeySpending> {
  const limitReset = limit === null ? null : reset;
  // Before the ledger is asked: a window that ends during the wait is then reported as ended, not as one in which nothing is left.
  const resetsAt = limitReset === null ? null : isoTime(limitWindowAt(limitReset, clock.now()).resetsAtMs);
  const { usage, windowUsage } = await readTotals(ledger.keyTotals(id, limitReset), logger);
  return { usage, remaining: remainingOf(limit, windowUsage), limitReset, resetsAt };
}

function remainingOf(limit: NanoUsd | null, windowUsage: NanoUsd): NanoUsd | null {
  if (limit === null) return null;
  return limit > windowUsage ? limit - windowUsage : 0n;
}
