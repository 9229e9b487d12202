import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

const FILTERS = 'tools[].filters';

/**
 * Of the tool `web_search` of the Agent API (OpenAPI document of 2026-08-03, read 2026-11-22), which knows no filter of languages, though the Search API
 * has one: a field that is not known is refused. For Sonar alone: a level of effort brings tools of its own, which stay on beside one that is listed, and search and open
 * pages without filters (docs.perplexity.ai, cookbook agent-api-presets, read 2026-11-26).
 */
export const PERPLEXITY_OPTIONS = {
  includeDomains: { as: `${FILTERS}.search_domain_filter` },
  excludeDomains: { as: `${FILTERS}.search_domain_filter` },
  freshness: { as: `${FILTERS}.search_recency_filter` },
  publishedAfter: { as: `${FILTERS}.search_after_date_filter` },
  publishedBefore: { as: `${FILTERS}.search_before_date_filter` },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** The tool with its filters. Domains that begin with a dash are left out of the search. */
export function webSearchTool(search: AskedSearch | undefined): object {
  if (search === undefined) return { type: 'web_search' };
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore, country } = search;
  const filters = definedFields({
    search_domain_filter: includeDomains ?? excludeDomains?.map((domain) => `-${domain}`),
    search_recency_filter: freshness,
    search_after_date_filter: publishedAfter && americanDate(publishedAfter),
    search_before_date_filter: publishedBefore && americanDate(publishedBefore),
  });
  return definedFields({
    type: 'web_search',
    filters: Object.keys(filters).length === 0 ? undefined : filters,
    user_location: country && { country },
  });
}

function americanDate(date: string): string {
  const [year, month, day] = date.split('-');
  return `${month}/${day}/${year}`;
}
