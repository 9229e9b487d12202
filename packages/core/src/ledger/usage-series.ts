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
 * The running totals of an organization, key, model and tag, and their values (openings) at the beginning of each day with an entry. So the sums of any span
 * of days are the difference of two values. An empty text stands for no key, model or tag.
 */
export interface UsageSeries extends Readonly<Omit<UsageDimensions, 'day'>> {
  /** Of all time. */
  readonly totals: MutableSums;
  /** The days with an entry, ascending. `days` and `openings` are replaced, never changed in place, so series can share them. */
  days: readonly number[];
  /** The totals at the beginning of each day. */
  openings: readonly UsageSums[];
  /** The series of the whole organization, which grows with this series; `undefined` for the series of an organization. */
  readonly whole: UsageSeries | undefined;
}

const NOTHING: UsageSums = Object.freeze(noUsage());
const NO_DAYS: readonly number[] = [];
const NO_OPENINGS: readonly UsageSums[] = [];
/** The openings of a series with one day. Shared, because most series have one day. */
const FIRST_OPENING: readonly UsageSums[] = [NOTHING];

export function newSeries(
  { organizationId, keyId, model, tag }: Omit<UsageDimensions, 'day'>,
  whole?: UsageSeries,
): UsageSeries {
  return { organizationId, keyId, model, tag, totals: noUsage(), days: NO_DAYS, openings: NO_OPENINGS, whole };
}

export function copyOfSeries(series: UsageSeries): UsageSeries {
  return { ...series, totals: { ...series.totals } };
}

/** Adds an entry of a day, nearly always the latest day. @returns whether the entry is the first of its day. */
export function addOnDay(series: UsageSeries, day: number, entry: LedgerEntry): boolean {
  const latest = latestDay(series);
  const isFirst = latest !== day && openDay(series, day);
  const { totals, days, openings } = series;
  if (isBehind(latest, day)) {
    series.openings = openings.map((opening, index) => (isBehind(days[index], day) ? plus(opening, entry) : opening));
  }
  addEntry(totals, entry);
  return isFirst;
}

/** The sums of the days of a span; `undefined` if the span has no entry. */
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

/** Merges a day into the day before. The first day of a month stays, so that the sums of whole months stay right. */
export function forgetDay(series: UsageSeries, day: number): void {
  const { days, openings } = series;
  const index = firstNotBefore(days, day);
  const before = days[index - 1];
  if (before === undefined || monthOfDay(before) !== monthOfDay(day)) return;
  series.days = days.toSpliced(index, 1);
  series.openings = openings.toSpliced(index, 1);
}

/** Adds the opening of a day. @returns `false` if the day has an opening. */
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

/** The totals before the day of this index. */
function sumsBefore({ openings, totals }: UsageSeries, index: number): UsageSums {
  return openings[index] ?? totals;
}

/** The index of the first day that is not before `day`; `days.length` if all days are before. */
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
