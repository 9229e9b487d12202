import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/**
 * Of `/search` (OpenAPI document of 2026-08-12, read 2026-11-22). `country` is left out: it prefers pages of a country, and keeps the others. So is `language`: the SDK
 * 0.7.13 has `language` and `filter_by_language`, but no document says how a language is written.
 */
export const TAVILY_OPTIONS = {
  includeDomains: { as: 'include_domains' },
  excludeDomains: { as: 'exclude_domains' },
  freshness: { as: 'time_range' },
  publishedAfter: { as: 'start_date' },
  publishedBefore: { as: 'end_date' },
} as const satisfies OptionSupport;

export function tavilySearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore } = search;
  return definedFields({
    include_domains: includeDomains,
    // The SDK 0.7.13 also knows `prefer`, and no document says which of the two is the default.
    include_domains_mode: includeDomains && 'restrict',
    exclude_domains: excludeDomains,
    time_range: freshness,
    start_date: publishedAfter,
    end_date: publishedBefore,
  });
}
