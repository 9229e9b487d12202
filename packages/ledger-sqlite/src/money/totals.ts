import {
  type KeyTotals,
  type LimitReset,
  limitWindowAt,
  type NanoUsd,
  type OrganizationTotals,
} from '@searchgate/core/ledger';
import { exact } from './exact.js';

/*
 * What is counted of an organization and of a key, and what becomes of it. Nothing here is changed in place: a verb that is refused half-way
 * has changed nothing.
 */

/** A key's counters. */
export interface KeyBook {
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
  /** Of the latest day, week and month it was used in. */
  readonly windows: Readonly<Record<LimitReset, WindowUsage>>;
}

interface WindowUsage {
  readonly startsAtMs: number;
  readonly usage: NanoUsd;
}

export const NO_TOTALS: OrganizationTotals = Object.freeze({ credits: 0n, usage: 0n, held: 0n });

const NO_WINDOW: WindowUsage = Object.freeze({ startsAtMs: 0, usage: 0n });
export const NO_KEY_BOOK: KeyBook = Object.freeze({
  usage: 0n,
  held: 0n,
  windows: Object.freeze({ daily: NO_WINDOW, weekly: NO_WINDOW, monthly: NO_WINDOW }),
});

/** What a verb adds to a counter, which may be negative. */
export interface Addition {
  readonly usage?: NanoUsd;
  readonly held?: NanoUsd;
}

/** @throws LedgerError `invalid_amount` when a counter overflows. */
export function addToOrganization(totals: OrganizationTotals, { usage = 0n, held = 0n }: Addition): OrganizationTotals {
  return { credits: totals.credits, usage: exact(totals.usage + usage), held: exact(totals.held + held) };
}

/** Usage counts in the windows that `atMs` falls into. @throws LedgerError `invalid_amount` when a counter overflows. */
export function addToKey(book: KeyBook, { usage, held = 0n }: Addition, atMs: number): KeyBook {
  const windows = usage === undefined ? book.windows : addToWindows(book.windows, usage, atMs);
  return { usage: exact(book.usage + (usage ?? 0n)), held: exact(book.held + held), windows };
}

/** The usage of a key in the window that is present at `nowMs`, and when that window ends. */
export function presentWindow(
  { windows }: KeyBook,
  reset: LimitReset,
  nowMs: number,
): { readonly usage: NanoUsd; readonly resetsAtMs: number } {
  const latest = windows[reset];
  const present = limitWindowAt(reset, Math.max(nowMs, latest.startsAtMs));
  return { usage: latest.startsAtMs === present.startsAtMs ? latest.usage : 0n, resetsAtMs: present.resetsAtMs };
}

function addToWindows(windows: KeyBook['windows'], amount: NanoUsd, atMs: number): KeyBook['windows'] {
  const added = (reset: LimitReset): WindowUsage => {
    const { startsAtMs, usage } = windows[reset];
    const present = limitWindowAt(reset, atMs).startsAtMs;
    // A window that has ended gives way; none ever comes back, even if the clock does.
    return present > startsAtMs
      ? { startsAtMs: present, usage: exact(amount) }
      : { startsAtMs, usage: exact(usage + amount) };
  };
  return { daily: added('daily'), weekly: added('weekly'), monthly: added('monthly') };
}

/** What a ledger says of a key. `windowUsage` is of the window present at `nowMs`; of all time where none is asked for. */
export function totalsOfKey(book: KeyBook, limitReset: LimitReset | null, nowMs: number): KeyTotals {
  const { usage, held } = book;
  return { usage, held, windowUsage: limitReset === null ? usage : presentWindow(book, limitReset, nowMs).usage };
}
