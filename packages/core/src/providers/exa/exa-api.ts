import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';

export const EXA: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // Tags are an open set, so the status comes first (exa.ai/docs/admin/error-codes, read 2026-11-20).
  errors: [
    // The model found no page that answers the query; only /answer replies so.
    { status: 501, reason: 'no_answer_found' },
    // A 403 is mostly about the account (a feature is off), but a 403 of moderation is about the query.
    { status: 403, code: /PROHIBITED_CONTENT|MODERAT/i, reason: 'query_rejected' },
    { status: 403, message: /moderat|prohibited content/i, reason: 'query_rejected' },
    // Limits per key, team and network are all 429. A spent budget has been seen as a 429 too (low confidence).
    { status: 429, code: /NO_MORE_CREDITS|BUDGET_EXCEEDED/i, reason: 'upstream_quota_exhausted' },
  ],
};

/** Search options, as fields of all endpoints. */
export function exaSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country } = search;
  const first = firstDay(search);
  return {
    includeDomains: includeDomains && withSubdomains(includeDomains),
    excludeDomains: excludeDomains && withSubdomains(excludeDomains),
    startPublishedDate: first && `${first}T00:00:00.000Z`,
    endPublishedDate: publishedBefore && `${publishedBefore}T23:59:59.999Z`,
    userLocation: country,
  };
}

/** Exa includes subdomains only if a pattern asks for them (exa.ai/docs/changelog/domain-path-filter, 2025-08-04). */
function withSubdomains(domains: readonly string[]): string[] {
  return domains.flatMap((domain) => [domain, `*.${domain}`]);
}
