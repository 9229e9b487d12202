import type { ApiKey } from '../auth/api-key.js';
import type { Logger } from '../base/events/logger.js';
import type { NanoUsd } from '../base/money.js';
import { isoTime } from '../base/time/iso-time.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { Ledger } from '../ledger/ledger.js';
import { readTotals } from './read-totals.js';

/** A key's usage and remaining budget. */
export interface KeySpending {
  /** Of all time. */
  readonly usage: NanoUsd;
  /** In the current window, if the limit resets; never below zero. `null` for no limit. */
  readonly remaining: NanoUsd | null;
  /** `null` for a limit that never resets, and for a key without a limit. */
  readonly limitReset: LimitReset | null;
  /** When the limit resets, such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
}

export interface SpendingDeps {
  readonly ledger: Pick<Ledger, 'keyTotals'>;
  readonly logger: Logger;
}

/** @throws RequestError `ledger_unavailable`. */
export async function readKeySpending(
  { ledger, logger }: SpendingDeps,
  { id, limit, limitReset: reset }: Pick<ApiKey, 'id' | 'limit' | 'limitReset'>,
): Promise<KeySpending> {
  const limitReset = limit === null ? null : reset;
  // One reading gives usage and reset time of the same window.
  const { usage, windowUsage, resetsAtMs } = await readTotals(ledger.keyTotals(id, limitReset), logger);
  const resetsAt = resetsAtMs === null ? null : isoTime(resetsAtMs);
  return { usage, remaining: remainingOf(limit, windowUsage), limitReset, resetsAt };
}

function remainingOf(limit: NanoUsd | null, windowUsage: NanoUsd): NanoUsd | null {
  if (limit === null) return null;
  return limit > windowUsage ? limit - windowUsage : 0n;
}
