import type { Freshness, SearchOptions } from './search-options.js';

/** Search options for a provider's adapter. */
export interface AskedSearch extends SearchOptions {
  /** The period of `freshness`, for vendors that take times: `to` is the time of the request. ISO 8601 in UTC. */
  readonly period?: { readonly from: string; readonly to: string } | undefined;
  /**
   * Both days of a range of dates (`YYYY-MM-DD`), for vendors that take no open range. An open end is filled: from 1970-01-01, to the day of the request in
   * UTC, or a single day if the given day lies beyond. Left out without `publishedAfter` and `publishedBefore`.
   */
  readonly days?: { readonly first: string; readonly last: string } | undefined;
}

const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 365 };
const DAY_MS = 86_400_000;

const EPOCH = '1970-01-01';

/** @param nowMs milliseconds since the Unix epoch. */
export function resolvedSearch(search: SearchOptions, nowMs: number): AskedSearch {
  const { freshness, publishedAfter, publishedBefore } = search;
  const to = new Date(nowMs).toISOString();
  if (freshness !== undefined) {
    const from = new Date(nowMs - DAYS[freshness] * DAY_MS).toISOString();
    return { ...search, period: { from, to } };
  }
  if (publishedAfter === undefined && publishedBefore === undefined) return search;
  const today = dayIn(to);
  const last = publishedBefore ?? (publishedAfter && publishedAfter > today ? publishedAfter : today);
  return { ...search, days: { first: publishedAfter ?? (last < EPOCH ? last : EPOCH), last } };
}

function dayIn(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}

/** The first day (`YYYY-MM-DD`) of `publishedAfter` or `freshness`, for vendors that only take dates; `undefined` if neither was requested. */
export function firstDay({ publishedAfter, period }: AskedSearch): string | undefined {
  return publishedAfter ?? (period && dayIn(period.from));
}
