import type { AskedSearch } from '../base/search-options/asked-search.js';

const PERIODS = { day: 'qdr:d', week: 'qdr:w', month: 'qdr:m', year: 'qdr:y' } as const;

/**
 * Google's filter by date, the parameter `tbs`, which several vendors hand on: `qdr:w` for the last week, or a range of days with both ends (Firecrawl's
 * OpenAPI document of 2026-08-21 describes both forms).
 *
 * @returns `undefined` if neither a freshness nor a day is asked for.
 */
export function googleDates({ freshness, days }: AskedSearch): string | undefined {
  if (freshness !== undefined) return PERIODS[freshness];
  return days && `cdr:1,cd_min:${monthFirst(days.first)},cd_max:${monthFirst(days.last)}`;
}

/** @param day `YYYY-MM-DD`; @returns `MM/DD/YYYY`. */
export function monthFirst(day: string): string {
  const [year, month, date] = day.split('-');
  return `${month}/${date}/${year}`;
}
