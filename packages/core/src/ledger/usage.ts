import type { NanoUsd } from '../base/money.js';
import { dayOf, firstDayOf, monthOfDay } from '../base/time/clock.js';
import type { LedgerEntry } from './ledger-entry.js';

/** The groups of a usage query. Days are UTC calendar days. */
export const USAGE_GROUPS = ['organization', 'key', 'budget', 'model', 'tag', 'day'] as const;

/** The name of a grouping. */
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/**
 * Most combinations of a model and a tag that are counted separately for a key on a day. Further entries are counted without their tag, so that tags, which
 * callers choose, cannot make the sums as large as the log.
 */
export const MAX_TAGGED_ROWS = 1_000;

/** Which entries are summed up, and by what. */
export interface UsageQuery {
  /** A row for each of these. */
  readonly by: UsageGroup;
  /** Only of this organization. Default: of all. */
  readonly organizationId?: string | undefined;
  /** Only of this key. Default: of all. */
  readonly keyId?: string | undefined;
  /** Only what counts in this budget. Default: all. */
  readonly budget?: string | undefined;
  /** Inclusive, in days since the Unix epoch. Default: the first day with an entry. */
  readonly fromDay?: number | undefined;
  /** Exclusive, in days since the Unix epoch. Default: after the last day with an entry. */
  readonly toDay?: number | undefined;
  /** Returns only groups after this group: the group of the last row of the page before. */
  readonly after?: string | undefined;
  /** 1 to 1,000; default 100. A page with fewer rows is the last page. */
  readonly limit?: number | undefined;
}

/** Sums of log entries. `charged + adjusted` is the usage. */
export interface UsageSums {
  /** The number of charges, including late charges and charges of expired holds. */
  readonly charges: number;
  /** Nanodollars of all charges. */
  readonly charged: NanoUsd;
  /** The number of charges for a cached or shared answer (cost source `cached` or `shared`). */
  readonly cachedCharges: number;
  /** The part of `charged` for cached and shared answers. */
  readonly cached: NanoUsd;
  /** The part of the charges that the operator owes providers, as far as known. */
  readonly upstreamCost: NanoUsd;
  /** The sum of the signed corrections. */
  readonly adjusted: NanoUsd;
  /** Nanodollars of all grants. */
  readonly granted: NanoUsd;
  /** The cost of attempts that no caller was charged for, and that the operator may owe providers. In no usage. */
  readonly lost: NanoUsd;
}

/** The sums of one group. */
export interface UsageRow extends UsageSums {
  /**
   * The id of the organization, key or budget, the slug, the tag, or the date (`2026-11-21`). `null` for entries without one: grants have no key, budget, model or tag. An entry of
   * several budgets is in the row of each, so these rows are not parts of a whole. Rows
   * are ordered by the bytes of the group in UTF-8, `null` last.
   */
  readonly group: string | null;
}

/** The names of the sums in a fixed order, for engines that store or send sums as a list. */
export const USAGE_SUMS = [
  'charges',
  'cachedCharges',
  'charged',
  'cached',
  'upstreamCost',
  'adjusted',
  'granted',
  'lost',
] as const satisfies readonly (keyof UsageSums)[];

/** Sums that grow. */
export type MutableSums = { -readonly [Sum in keyof UsageSums]: UsageSums[Sum] };

/** Sums of no entries. */
export function noUsage(): MutableSums {
  return usageSumsOf([]);
}

/**
 * @param figures in the order of {@link USAGE_SUMS}, whole numbers or their decimal texts; `null` for 0.
 * @param first the index at which they begin.
 */
export function usageSumsOf(figures: readonly unknown[], first = 0): MutableSums {
  const at = (index: number) => BigInt((figures[first + index] ?? 0n) as bigint | number | string);
  return {
    charges: Number(at(0)),
    cachedCharges: Number(at(1)),
    charged: at(2),
    cached: at(3),
    upstreamCost: at(4),
    adjusted: at(5),
    granted: at(6),
    lost: at(7),
  };
}

/** Adds a log entry. `expired` entries add nothing, because they moved no money. */
export function addEntry(sums: MutableSums, entry: LedgerEntry): void {
  const { amount } = entry;
  if (entry.kind === 'charge') {
    sums.charges += 1;
    sums.charged += amount;
    if (entry.upstreamCost !== undefined) sums.upstreamCost += entry.upstreamCost;
    if (entry.costSource !== 'cached' && entry.costSource !== 'shared') return;
    sums.cachedCharges += 1;
    sums.cached += amount;
  } else if (entry.kind === 'loss') sums.lost += amount;
  else if (entry.kind === 'grant') sums.granted += amount;
  else if (entry.kind === 'adjustment') sums.adjusted += amount;
}

/** Adds `more` to `sums`, in place. */
export function addSums(sums: MutableSums, more: UsageSums): void {
  sums.charges += more.charges;
  sums.charged += more.charged;
  sums.cachedCharges += more.cachedCharges;
  sums.cached += more.cached;
  sums.upstreamCost += more.upstreamCost;
  sums.adjusted += more.adjusted;
  sums.granted += more.granted;
  sums.lost += more.lost;
}

/** The key under which an entry is summed. An empty text stands for no key, model or tag. */
export interface UsageDimensions {
  /** Never empty. */
  readonly organizationId: string;
  /** Empty for a grant, and for an adjustment of no key. */
  readonly keyId: string;
  /** The slug; empty for a grant or an adjustment. */
  readonly model: string;
  /** Empty for none. */
  readonly tag: string;
  /** The ids of its budgets, in the order of their bytes and joined by spaces; empty for none. */
  readonly budgets: string;
  /** Since the Unix epoch, in UTC. */
  readonly day: number;
}

/** @returns `undefined` for an entry that moved no money. */
export function usageDimensionsOf(entry: LedgerEntry): UsageDimensions | undefined {
  if (entry.kind === 'expired') return undefined;
  return {
    organizationId: entry.organizationId,
    keyId: entry.keyId ?? '',
    model: 'model' in entry ? entry.model : '',
    tag: ('tag' in entry ? entry.tag : undefined) ?? '',
    budgets: 'budgets' in entry ? (entry.budgets?.join(' ') ?? '') : '',
    day: dayOf(entry.atMs),
  };
}

/** The groups that a cell of sums counts in. An empty text stands for no group. */
export function usageGroupsOf(by: Exclude<UsageGroup, 'day'>, cell: Omit<UsageDimensions, 'day'>): readonly string[] {
  if (by === 'budget') return cell.budgets.split(' ');
  return [cell[by === 'organization' ? 'organizationId' : by === 'key' ? 'keyId' : by]];
}

/** Whether a cell is of the organization, the key and the budget of a query. */
export function isInUsage(
  { organizationId, keyId, budget }: Pick<UsageQuery, 'organizationId' | 'keyId' | 'budget'>,
  cell: Pick<UsageDimensions, 'organizationId' | 'keyId' | 'budgets'>,
): boolean {
  if (organizationId !== undefined && cell.organizationId !== organizationId) return false;
  if (keyId !== undefined && cell.keyId !== keyId) return false;
  return budget === undefined || cell.budgets.split(' ').includes(budget);
}

/** A span of days or months: `from` is included, `to` is not. */
export interface Span {
  /** Since the Unix epoch, in UTC. */
  readonly from: number;
  /** As `from`. */
  readonly to: number;
}

/** A span of days as whole months and the days left over at both ends. */
export interface SplitDays {
  /** May be empty: then `from` equals `to`. */
  readonly months: Span;
  /** At most two spans. */
  readonly days: readonly Span[];
}

/** After every month with an entry. */
const LAST_MONTH = 1_000_000;

/**
 * Splits a span of days, so that sums by month serve all days except the edges.
 *
 * @param fromDay `undefined` for no beginning.
 * @param toDay `undefined` for no end.
 */
export function splitDays(fromDay: number | undefined, toDay: number | undefined): SplitDays {
  const from = fromDay === undefined ? 0 : monthOfDay(fromDay - 1) + 1;
  const to = toDay === undefined ? LAST_MONTH : monthOfDay(toDay);
  if (from > to || (fromDay !== undefined && toDay !== undefined && fromDay >= toDay))
    return { months: { from: 0, to: 0 }, days: spans({ from: fromDay ?? 0, to: toDay ?? 0 }) };
  const before = fromDay === undefined ? [] : spans({ from: fromDay, to: firstDayOf(from) });
  const behind = toDay === undefined ? [] : spans({ from: firstDayOf(to), to: toDay });
  return { months: { from, to }, days: [...before, ...behind] };
}

function spans(span: Span): Span[] {
  return span.from < span.to ? [span] : [];
}
