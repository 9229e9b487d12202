import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';

const FIELD = 'tools[].googleSearch.timeRangeFilter';

/** Of the tool `google_search` (python-genai of 2026-08-21): a range has both ends or none. Domains are excluded on Google's enterprise platform alone. */
export const GOOGLE_OPTIONS = {
  freshness: { as: FIELD },
  publishedAfter: { as: FIELD, needs: ['publishedBefore'] },
  publishedBefore: { as: FIELD, needs: ['publishedAfter'] },
} as const satisfies OptionSupport;

/** Fields of the tool. */
export function googleSearch({ period, publishedAfter, publishedBefore }: AskedSearch): object {
  const [startTime, endTime] =
    period === undefined
      ? [`${publishedAfter}T00:00:00Z`, `${publishedBefore}T23:59:59.999Z`]
      : [period.from, period.to];
  return { timeRangeFilter: { startTime, endTime } };
}
