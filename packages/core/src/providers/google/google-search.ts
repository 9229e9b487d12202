import type { AskedSearch } from '../../base/search-options/asked-search.js';

/** Fields of the tool. */
export function googleSearch({ period, publishedAfter, publishedBefore }: AskedSearch): object {
  const [startTime, endTime] =
    period === undefined
      ? [`${publishedAfter}T00:00:00Z`, `${publishedBefore}T23:59:59.999Z`]
      : [period.from, period.to];
  return { timeRangeFilter: { startTime, endTime } };
}

/** The only listed model with a thinking level above `high` (docs.cloud.google.com, guide to Gemini 4 Hydrogen, read 2026-11-22). */
export const HYDROGEN = 'google/gemini-4-hydrogen';
