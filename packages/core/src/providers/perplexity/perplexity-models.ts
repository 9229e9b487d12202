import { definedFields } from '../../base/defined-fields.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { withPrices } from '../../provider-kit/credit-price.js';
import { monthFirst } from '../../provider-kit/google-dates.js';
import { type VendorApi } from '../../provider-kit/json-endpoint.js';

export const PERPLEXITY: VendorApi = {
  // docs.perplexity.ai, read 2026-11-20.
  errors: [
    // An account out of credit has been reported as a 401 that is not about the key, and may be a 429 (low confidence: not seen again since).
    { status: [401, 403, 429], code: /insufficient_quota|insufficient_credit/i, reason: 'upstream_quota_exhausted' },
    {
      status: [401, 403, 429],
      message: /insufficient (?:quota|credit|balance)|out of credits?/i,
      reason: 'upstream_quota_exhausted',
    },
    { status: 400, code: 'invalid_search_domain_filter', reason: 'query_rejected' },
    // A tool server behind Perplexity failed.
    { status: 424, reason: 'upstream_error' },
  ],
};

/** The tool with its filters. */
export function webSearchTool(search: AskedSearch | undefined): object {
  if (search === undefined) return { type: 'web_search' };
  const filters = searchFilters(search);
  return definedFields({
    type: 'web_search',
    filters: Object.keys(filters).length === 0 ? undefined : filters,
    user_location: search.country && { country: search.country },
  });
}

/** The filters of the tool and of the Search API. A dash before a domain excludes the domain. */
export function searchFilters(search: AskedSearch): Readonly<Record<string, unknown>> {
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore } = search;
  return definedFields<unknown>({
    search_domain_filter: includeDomains ?? excludeDomains?.map((domain) => `-${domain}`),
    search_recency_filter: freshness,
    search_after_date_filter: publishedAfter && monthFirst(publishedAfter),
    search_before_date_filter: publishedBefore && monthFirst(publishedBefore),
  });
}

/** Perplexity's own model: prompts stay with Perplexity. */
export const SONAR = 'perplexity/sonar';

/** The model without the rates of Sonar, for when another model does the work: the charge then follows the cost that Perplexity reports. */
export function withoutRates(model: ModelRow): ModelRow {
  return withPrices(model, {
    dynamic: ({ kind, typical, ceiling, source, asOf, confidence }) => {
      return { kind, typical, ceiling, source, asOf, confidence };
    },
  });
}
