import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { bearer, type VendorApi } from '../../provider-kit/json-endpoint.js';

/** Fields of `/search`, for answers and results. */
export function linkupSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore } = search;
  return { includeDomains, excludeDomains, fromDate: firstDay(search), toDate: publishedBefore };
}

export const LINKUP: VendorApi = {
  authorize: bearer,
  // docs.linkup.so/pages/documentation/platform/errors, read 2026-11-20.
  errors: [
    // No page answers the query. Linkup does not bill the request.
    { status: 400, code: 'SEARCH_QUERY_NO_RESULT', reason: 'no_answer_found' },
    // The account's balance and the key's budget. Other 429s are rate limits.
    { status: [402, 429], code: /INSUFFICIENT_FUNDS|EXCEED_BUDGET/i, reason: 'upstream_quota_exhausted' },
    // Linkup asks callers without a key to pay at once, so this means: the key was not recognized.
    { status: 402, reason: 'upstream_auth_failed' },
    { status: 409, reason: 'upstream_rejected' },
  ],
};
