import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';

/** Fields of both endpoints. */
export function valyuSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country } = search;
  return definedFields({
    included_sources: includeDomains,
    excluded_sources: excludeDomains,
    start_date: firstDay(search),
    end_date: publishedBefore,
    country_code: country,
  });
}

export const VALYU: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // docs.valyu.ai and its SDKs, read 2026-11-20. Only the text distinguishes errors.
  errors: [
    // 402 according to the documentation. The same message inside a stream, or with another status, is not documented (low confidence).
    {
      message: /insufficient (?:credit|balance|fund)|not enough credit|out of credit|monthly limit/i,
      reason: 'upstream_quota_exhausted',
    },
    // Failures inside a stream of status 200.
    { status: 200, message: /rate limit|too many requests/i, reason: 'upstream_rate_limited' },
  ],
};
