import { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../limit-window.js';
import type { NanoUsd } from '../money.js';

/** What a key has used in its latest day, week and month: all three, so that a change of its reset is exact at once. */
export type WindowUsages = Record<LimitReset, WindowUsage>;

interface WindowUsage {
  startsAtMs: number;
  usage: NanoUsd;
}

/** Finds windows, remembering the latest of each length: nearly every moment falls into the same ones as the moment before. */
export type WindowCalendar = (reset: LimitReset, atMs: number) => LimitWindow;

export function createWindowCalendar(): WindowCalendar {
  const none: LimitWindow = { startsAtMs: 0, resetsAtMs: 0 };
  const latest: Record<LimitReset, LimitWindow> = { daily: none, weekly: none, monthly: none };
  return (reset, atMs) => {
    const known = latest[reset];
    if (known.startsAtMs <= atMs && atMs < known.resetsAtMs) return known;
    latest[reset] = limitWindowAt(reset, atMs);
    return latest[reset];
  };
}

export function noWindowUsages(): WindowUsages {
  const none = (): WindowUsage => ({ startsAtMs: 0, usage: 0n });
  return { daily: none(), weekly: none(), monthly: none() };
}

/** Counts an amount in the present windows. A window that has ended gives way; none ever comes back, even if the clock does. */
export function addToWindows(
  usages: WindowUsages,
  amount: NanoUsd,
  windowAt: (reset: LimitReset) => LimitWindow,
): void {
  for (const reset of LIMIT_RESETS) {
    const own = usages[reset];
    const { startsAtMs } = windowAt(reset);
    if (startsAtMs > own.startsAtMs) {
      own.startsAtMs = startsAtMs;
      own.usage = 0n;
    }
    own.usage += amount;
  }
}

/** The usage in a window that is present: none where the latest one seen has ended. */
export function usageInWindow({ startsAtMs, usage }: WindowUsage, present: LimitWindow): NanoUsd {
  return startsAtMs >= present.startsAtMs ? usage : 0n;
}
