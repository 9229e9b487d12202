import { magnitude, type NanoUsd } from '../base/money.js';
import { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../base/time/limit-window.js';

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

/** The day, week and month a moment falls into. */
export type LimitWindows = Readonly<Record<LimitReset, LimitWindow>>;

/** Finds the present windows of a ledger. They only move forward: where the clock is set back, the latest ones seen stay. */
export type WindowCalendar = (nowMs: number) => LimitWindows;

export function createWindowCalendar(): WindowCalendar {
  let latest = limitWindowsAt(0);
  return (nowMs) => {
    // No window ends between midnights.
    if (nowMs >= latest.daily.resetsAtMs) latest = limitWindowsAt(nowMs);
    return latest;
  };
}

/** Counts an amount in the present windows. One that has ended gives way; none ever comes back. */
export function addUsage(key: WindowedUsage, amount: NanoUsd, present: LimitWindows): void {
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
export function farthestUsage(key: Readonly<WindowedUsage>, amount: NanoUsd, present: LimitWindows): NanoUsd {
  let farthest = key.usage + amount;
  for (const reset of LIMIT_RESETS) {
    const usage = usageInWindow(key, reset, present) + amount;
    if (magnitude(usage) > magnitude(farthest)) farthest = usage;
  }
  return farthest;
}

/** What a key has used in the present window of a reset: nothing where it was last used before that. */
export function usageInWindow(key: Readonly<WindowedUsage>, reset: LimitReset, present: LimitWindows): NanoUsd {
  return key.latestDay * DAY_MS >= present[reset].startsAtMs ? key.usage - key[BEFORE[reset]] : 0n;
}

/** The present window of a key: its latest one where the clock has been set back before that. */
export function presentWindow(
  { latestDay }: Readonly<WindowedUsage>,
  reset: LimitReset,
  present: LimitWindows,
): LimitWindow {
  const latestMs = latestDay * DAY_MS;
  return latestMs >= present[reset].resetsAtMs ? limitWindowAt(reset, latestMs) : present[reset];
}

/** When a key's latest day, week and month began, and what it has used in each. */
export function latestWindows(key: Readonly<WindowedUsage>): WindowUsages {
  const latestMs = key.latestDay * DAY_MS;
  const windowOf = (reset: LimitReset) => ({
    startsAtMs: limitWindowAt(reset, latestMs).startsAtMs,
    usage: key.usage - key[BEFORE[reset]],
  });
  return { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
}

/** Usage in a window of each length. */
export type WindowUsages = Readonly<Record<LimitReset, { readonly startsAtMs: number; readonly usage: NanoUsd }>>;

export function limitWindowsAt(atMs: number): LimitWindows {
  const windowOf = (reset: LimitReset) => limitWindowAt(reset, atMs);
  return { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
}
