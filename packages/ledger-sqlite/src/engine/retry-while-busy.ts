import type { Clock } from '@searchgate/core/ledger';
import { isBusy } from './is-busy.js';

const FIRST_DELAY_MS = 1;
const LONGEST_DELAY_MS = 8;

export interface Patience {
  readonly clock: Clock;
  /** How long to wait in all, while other processes write. */
  readonly busyTimeoutMs: number;
}

/** How long to stay away after so many attempts in vain. Random, so that processes that wait for each other do not do so in step. */
export function backoffMs(attempts: number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** attempts, LONGEST_DELAY_MS);
  return longest * (0.5 + Math.random() / 2);
}

/** Does `work` again, from a timer, for as long as the database is busy. @throws whatever else `work` throws, at once. */
export async function retryWhileBusy<T>(work: () => T, { clock, busyTimeoutMs }: Patience): Promise<T> {
  const giveUpAtMs = clock.monotonic() + busyTimeoutMs;
  for (let attempts = 0; ; attempts += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() >= giveUpAtMs) throw error;
    }
    await new Promise<void>((resolve) => {
      clock.schedule(backoffMs(attempts), resolve);
    });
  }
}
