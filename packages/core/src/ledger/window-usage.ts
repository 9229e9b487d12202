import { magnitude, type NanoUsd } from '../base/money.js';
import { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../base/time/limit-window.js';

const DAY_MS = 86_400_000;

/**
 * The usage of a key of all time, and its usage before its latest day, week and month. The usage in each window follows from the difference. So a changed
 * reset is exact at once, and a charge only has to update the total.
 */
export interface WindowedUsage {
  /** Nanodollars of all time. */
  usage: NanoUsd;
  /** The day of the last usage, in days since the Unix epoch: a small integer, which V8 stores without an allocation. */
  latestDay: number;
  /** Nanodollars before the latest day. */
  beforeDay: NanoUsd;
  /** Nanodollars before the week of the latest day. */
  beforeWeek: NanoUsd;
  /** Nanodollars before the month of the latest day. */
  beforeMonth: NanoUsd;
}

/** Of a key or a budget that was never used. */
export const NO_USAGE: Readonly<WindowedUsage> = Object.freeze({
  usage: 0n,
  latestDay: 0,
  beforeDay: 0n,
  beforeWeek: 0n,
  beforeMonth: 0n,
});

const BEFORE = { daily: 'beforeDay', weekly: 'beforeWeek', monthly: 'beforeMonth' } as const;

/** The day, week and month of a moment. */
export type LimitWindows = Readonly<Record<LimitReset, LimitWindow>>;

/** Returns the present windows of a ledger. Windows only move forward: after the clock is set back, the latest windows seen stay. */
export type WindowCalendar = (nowMs: number) => LimitWindows;

export function createWindowCalendar(): WindowCalendar {
  let latest = limitWindowsAt(0);
  return (nowMs) => {
    // No window ends between midnights.
    if (nowMs >= latest.daily.resetsAtMs) latest = limitWindowsAt(nowMs);
    return latest;
  };
}

/** Counts an amount in the present windows. Present windows replace ended windows, which never return. */
export function addUsage(key: WindowedUsage, amount: NanoUsd, present: LimitWindows): void {
  const latestMs = key.latestDay * DAY_MS;
  if (present.daily.startsAtMs > latestMs) {
    for (const reset of LIMIT_RESETS) if (present[reset].startsAtMs > latestMs) key[BEFORE[reset]] = key.usage;
    key.latestDay = present.daily.startsAtMs / DAY_MS;
  }
  key.usage += amount;
}

/** The figure farthest from zero, once an amount is counted, among a key's total usage and its usage in each present window. */
export function projectedUsage(key: Readonly<WindowedUsage>, amount: NanoUsd, present: LimitWindows): NanoUsd {
  let projected = key.usage + amount;
  for (const reset of LIMIT_RESETS) {
    const usage = usageInWindow(key, reset, present) + amount;
    if (magnitude(usage) > magnitude(projected)) projected = usage;
  }
  return projected;
}

/** The usage of a key in the present window of a reset; 0 if the key was last used before that window. */
export function usageInWindow(key: Readonly<WindowedUsage>, reset: LimitReset, present: LimitWindows): NanoUsd {
  return key.latestDay * DAY_MS >= present[reset].startsAtMs ? key.usage - key[BEFORE[reset]] : 0n;
}

/** The present window of a key. After the clock was set back, the latest window in which the key was used. */
export function presentWindow(
  { latestDay }: Readonly<WindowedUsage>,
  reset: LimitReset,
  present: LimitWindows,
): LimitWindow {
  const latestMs = latestDay * DAY_MS;
  return latestMs >= present[reset].resetsAtMs ? limitWindowAt(reset, latestMs) : present[reset];
}

/** The beginning of a key's latest day, week and month, and its usage in each. */
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

/** The day, the week and the month of a time in milliseconds since the Unix epoch. */
export function limitWindowsAt(atMs: number): LimitWindows {
  const windowOf = (reset: LimitReset) => limitWindowAt(reset, atMs);
  return { daily: windowOf('daily'), weekly: windowOf('weekly'), monthly: windowOf('monthly') };
}
