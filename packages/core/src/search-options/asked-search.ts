import type { Freshness, SearchOptions } from './search-options.js';

/** Search options as a provider's adapter gets them. */
export interface AskedSearch extends SearchOptions {
  /** With `freshness`, for vendors that take dates alone: the day it goes back to, `YYYY-MM-DD` in UTC. */
  readonly freshFrom?: string | undefined;
}

const DAYS: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 365 };
const DAY_MS = 86_400_000;

/** @param nowMs milliseconds since the Unix epoch. */
export function askedSearch(search: SearchOptions, nowMs: number): AskedSearch {
  const { freshness } = search;
  return freshness === undefined ? search : { ...search, freshFrom: dayOf(nowMs - DAYS[freshness] * DAY_MS) };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
