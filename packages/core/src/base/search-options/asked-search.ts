import type { Freshness, SearchOptions } from './search-options.js';

/** Search options for a provider's adapter. */
export interface AskedSearch extends SearchOptions {
  /** The period of `freshness`, for vendors that take times: `to` is the time of the request. ISO 8601 in UTC. */
  readonly period?: { readonly from: string; readonly to: string } | undefined;
}

const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 365 };
const DAY_MS = 86_400_000;

/** @param nowMs milliseconds since the Unix epoch. */
export function resolvedSearch(search: SearchOptions, nowMs: number): AskedSearch {
  const { freshness } = search;
  if (freshness === undefined) return search;
  const from = new Date(nowMs - DAYS[freshness] * DAY_MS).toISOString();
  return { ...search, period: { from, to: new Date(nowMs).toISOString() } };
}

/** The first day (`YYYY-MM-DD`) of `publishedAfter` or `freshness`, for vendors that only take dates; `undefined` if neither was requested. */
export function firstDay({ publishedAfter, period }: AskedSearch): string | undefined {
  return publishedAfter ?? period?.from.slice(0, 'YYYY-MM-DD'.length);
}
