import { madeIn } from '../base/made-in.js';
import { dateOfDay, firstDayOf, monthOfDay } from '../base/time/clock.js';
import type { CheckedUsageQuery } from './create-ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  addEntry,
  addSums,
  isInUsage,
  MAX_TAGGED_ROWS,
  type MutableSums,
  noUsage,
  type UsageDimensions,
  type UsageRow,
  usageDimensionsOf,
  usageGroupsOf,
} from './usage.js';

import { addToGroup, usagePage } from './usage-page.js';

/** The usage sums of a memory ledger. */
export type MemoryUsage = ReturnType<typeof createMemoryUsage>;

/** The sums that a key used last. Most calls of a key use the model of the call before, and so need no look-up. */
export interface RecentUsage {
  recent: DaySums | undefined;
}

/** The sums of an organization, key, model and tag on a day. An empty text stands for no key, model or tag. */
interface DaySums extends Readonly<Omit<UsageDimensions, 'day'>> {
  day: number;
  readonly totals: MutableSums;
}

interface Day {
  /** By the name of their organization, key, model and tag. */
  readonly sums: Map<string, DaySums>;
  /** The number of sums with a tag, by key. */
  readonly tagged: Map<string, number>;
}

/** About 35 MB, which a statement reads in a few milliseconds. */
const MAX_SUMS = 100_000;
/** The day of sums that were merged into others. */
const MERGED = -1;

/**
 * Keeps sums for each organization, key, model, tag and day.
 *
 * @param maxSums beyond this number the oldest days are merged into the first day of their month, so that sums of whole months stay right.
 */
export function createMemoryUsage(maxSums: number = MAX_SUMS) {
  const days = new Map<number, Day>();
  let size = 0;

  /** The sums for an entry. Without its tag if its key already has {@link MAX_TAGGED_ROWS} sums with a tag on that day. */
  function sumsFor(of: UsageDimensions): DaySums {
    const { sums, tagged } = madeIn(days, of.day, newDay);
    // Ids have no spaces, and tags no line ends.
    const name = `${of.organizationId} ${of.keyId} ${of.tag}\n${of.budgets}\n${of.model}`;
    const known = sums.get(name);
    if (known !== undefined) return known;
    if (of.tag !== '') {
      const count = tagged.get(of.keyId) ?? 0;
      if (count >= MAX_TAGGED_ROWS) return sumsFor({ ...of, tag: '' });
      tagged.set(of.keyId, count + 1);
    }
    const added = { ...of, totals: noUsage() };
    sums.set(name, added);
    size += 1;
    return added;
  }

  function mergeOldestDay(present: number): void {
    let oldest = present;
    for (const day of days.keys()) if (day < oldest && day > startOfMonth(day)) oldest = day;
    const merged = days.get(oldest);
    if (oldest === present || merged === undefined) return;
    days.delete(oldest);
    size -= merged.sums.size;
    for (const sums of merged.sums.values()) {
      addSums(sumsFor({ ...sums, day: startOfMonth(oldest) }).totals, sums.totals);
      sums.day = MERGED;
    }
  }

  return {
    /** Adds an entry. @param key the counters of the entry's key, if at hand. */
    add(entry: LedgerEntry, key?: RecentUsage): void {
      const of = usageDimensionsOf(entry);
      if (of === undefined) return;
      let sums = key?.recent;
      if (sums === undefined || !isOf(sums, of)) {
        sums = sumsFor(of);
        if (key !== undefined) key.recent = sums;
        if (size > maxSums) mergeOldestDay(of.day);
      }
      addEntry(sums.totals, entry);
    },
    read(query: CheckedUsageQuery): readonly UsageRow[] {
      const { by, fromDay = 0, toDay = Number.POSITIVE_INFINITY } = query;
      const groups = new Map<string, MutableSums>();
      for (const [day, { sums }] of days) {
        if (day < fromDay || day >= toDay) continue;
        const date = dateOfDay(day);
        for (const each of sums.values()) {
          if (!isInUsage(query, each)) continue;
          for (const group of by === 'day' ? [date] : usageGroupsOf(by, each)) addToGroup(groups, group, each.totals);
        }
      }
      return usagePage(groups, query, (sums) => sums);
    },
  };
}

const newDay = (): Day => ({ sums: new Map(), tagged: new Map() });

function isOf(sums: DaySums, { organizationId, model, tag, budgets, day }: UsageDimensions): boolean {
  const isOfCall = sums.model === model && sums.tag === tag && sums.budgets === budgets;
  return isOfCall && sums.day === day && sums.organizationId === organizationId;
}

function startOfMonth(day: number): number {
  return firstDayOf(monthOfDay(day));
}
