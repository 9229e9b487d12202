import { magnitude, type NanoUsd } from '../money/money.js';
import { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../time/limit-window.js';

const DAY_MS = 86_400_000;

/**
 * What a key has ever used, and how much of that came before its latest day, week and month: the usage of all three follows, so that a change
 * of its reset is exact at once, and a charge has nothing more to count than the total.
 */
export interface WindowedUsage {
  usage: NanoUsd;
  /** When it was last used, in days since the Unix epoch: small enough a number to need no memory of its own. */
  latestDay: number;
  beforeDay: NanoUsd;
  beforeWeek: NanoUsd;
  beforeMonth: NanoUsd;
}

const BEFORE = { daily: 'beforeDay', weekly: 'beforeWeek', monthly: 'beforeMonth' } as const;

type Windows = Readonly<Record<LimitReset, LimitWindow>>;

/** Finds the present windows of a ledger. They only move forward: where the clock is set back, the latest ones seen stay. */
export type WindowCalendar = (nowMs: number) => Windows;

export function createWindowCalendar(): WindowCalendar {
  let latest = windowsAt(0);
  return (nowMs) => {
    // No window ends between midnights.
    if (nowMs >= latest.daily.resetsAtMs) latest = windowsAt(nowMs);
    return latest;
  };
}

/** Counts an amount in the present windows. One that has ended gives way; none ever comes back. */
export function addUsage(key: WindowedUsage, amount: NanoUsd, present: Windows): void {
  const latestMs = key.latestDay * DAY_MS;
  if (present.daily.startsAtMs > latestMs) {
    for (const reset of LIMIT_RESETS) {
      if (present[reset].startsAtMs > latestMs) key[BEFORE[reset]] = key.usage;
    }
    key.latestDay = present.daily.startsAtMs / DAY_MS;
  }
  key.usage += amount;
}

/** Of a key's usage in all and in each present window, the one farthest from zero once an amount is counted. */
export function farthestUsage(key: WindowedUsage, amount: NanoUsd, present: Windows): NanoUsd {
  let farthest = key.usage + amount;
  for (const reset of LIMIT_RESETS) {
    const usage = usageInWindow(key, reset, present) + amount;
    if (magnitude(usage) > magnitude(farthest)) farthest = usage;
  }
  return farthest;
}

/** What a key has used in the present window of a reset: nothing where it was last used before that. */
export function usageInWindow(key: WindowedUsage, reset: LimitReset, present: Windows): NanoUsd {
  return key.latestDay * DAY_MS >= present[reset].startsAtMs ? key.usage - key[BEFORE[reset]] : 0n;
}

function windowsAt(atMs: number): Windows {
  const windowOf = (reset: LimitReset) => limitWindowAt(reset, atMs);
  return { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
}
