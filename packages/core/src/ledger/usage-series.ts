import { monthOfDay } from '../base/time/days.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  addEntry,
  differenceOfSums,
  type MutableSums,
  noUsage,
  type Span,
  type UsageDimensions,
  type UsageSums,
} from './usage.js';

/**
 * The sums of what has one organization, key, model and tag in common, and what they were when each day with an entry began. So the sums of any days are the
 * difference of two, however many days they are. An empty text stands for what it is not about.
 */
export interface UsageSeries extends Readonly<Omit<UsageDimensions, 'day'>> {
  /** Of all time. */
  readonly totals: MutableSums;
  /** The days with an entry, in ascending order. Replaced, never changed, as are the openings: so series can share them. */
  days: readonly number[];
  /** What the totals were when each of them began. */
  openings: readonly UsageSums[];
  /** That of all keys of the organization, which grows with it; none has itself. */
  readonly whole: UsageSeries | undefined;
}

const NOTHING: UsageSums = Object.freeze(noUsage());
const NO_DAYS: readonly number[] = [];
const NO_OPENINGS: readonly UsageSums[] = [];
/** Of the first day there is nothing before. Shared by all series, since most of very many have one day. */
const FIRST_OPENING: readonly UsageSums[] = [NOTHING];

/** Without an entry. */
export function newSeries(
  { organizationId, keyId, model, tag }: Omit<UsageDimensions, 'day'>,
  whole?: UsageSeries,
): UsageSeries {
  return { organizationId, keyId, model, tag, totals: noUsage(), days: NO_DAYS, openings: NO_OPENINGS, whole };
}

export function copyOfSeries(series: UsageSeries): UsageSeries {
  return { ...series, totals: { ...series.totals } };
}

/** Adds an entry of a day, which is nearly always the latest one. @returns whether it is the first one of that day. */
export function addOnDay(series: UsageSeries, day: number, entry: LedgerEntry): boolean {
  const isFirst = latestDay(series) !== day && openDay(series, day);
  const { totals, days, openings } = series;
  if (isBehind(latestDay(series), day)) {
    series.openings = openings.map((opening, index) => (isBehind(days[index], day) ? plus(opening, entry) : opening));
  }
  addEntry(totals, entry);
  return isFirst;
}

/** The sums of the days of a span; `undefined` where it has no entry. */
export function sumsBetween(series: UsageSeries, { from, to }: Span): UsageSums | undefined {
  const [first, end] = [firstNotBefore(series.days, from), firstNotBefore(series.days, to)];
  return first < end ? differenceOfSums(sumsBefore(series, end), sumsBefore(series, first)) : undefined;
}

/** The sums of each day of a span. */
export function* sumsByDay(series: UsageSeries, { from, to }: Span): Generator<readonly [day: number, UsageSums]> {
  const { days } = series;
  for (let index = firstNotBefore(days, from); index < days.length; index += 1) {
    const day = days[index] as number;
    if (day >= to) return;
    yield [day, differenceOfSums(sumsBefore(series, index + 1), sumsBefore(series, index))];
  }
}

export function hasDay(series: UsageSeries, day: number): boolean {
  return latestDay(series) === day || series.days[firstNotBefore(series.days, day)] === day;
}

/** Counts what came on a day as of the day before it that is known. The first one of a month stays, so that the sums of whole months do. */
export function forgetDay(series: UsageSeries, day: number): void {
  const { days, openings } = series;
  const index = firstNotBefore(days, day);
  const before = days[index - 1];
  if (before === undefined || monthOfDay(before) !== monthOfDay(day)) return;
  series.days = days.toSpliced(index, 1);
  series.openings = openings.toSpliced(index, 1);
}

/** @returns whether it was not known. */
function openDay(series: UsageSeries, day: number): boolean {
  const { days, openings, totals, whole } = series;
  if (days.length === 0) {
    const isOnlyOne = whole?.days.length === 1 && whole.days[0] === day;
    series.days = isOnlyOne ? whole.days : [day];
    series.openings = FIRST_OPENING;
    return true;
  }
  const index = firstNotBefore(days, day);
  if (days[index] === day) return false;
  const opening = index === 0 ? NOTHING : (openings[index] ?? { ...totals });
  series.days = days.toSpliced(index, 0, day);
  series.openings = openings.toSpliced(index, 0, opening);
  return true;
}

export function latestDay({ days }: UsageSeries): number | undefined {
  return days[days.length - 1];
}

function isBehind(day: number | undefined, other: number): boolean {
  return day !== undefined && day > other;
}

/** What the totals were before the day of this place. */
function sumsBefore({ openings, totals }: UsageSeries, place: number): UsageSums {
  return openings[place] ?? totals;
}

/** The place of the first day that is this one or a later one; behind the last where there is none. */
function firstNotBefore(days: readonly number[], day: number): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((days[middle] as number) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

function plus(sums: UsageSums, entry: LedgerEntry): UsageSums {
  const more = { ...sums };
  addEntry(more, entry);
  return more;
}
