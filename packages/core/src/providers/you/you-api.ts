import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { keyHeader, type VendorApi } from '../../provider-kit/json-endpoint.js';
import { SEARCH_LANGUAGE_TAGS } from '../../provider-kit/languages.js';

export const YOU: VendorApi = {
  authorize: keyHeader('x-api-key'),
  // you.com/docs, read 2026-11-20.
  errors: [
    // Only the query of a request can be too long. Other 422s are about fields that the adapter sets.
    { status: [400, 422], code: 'string_too_long', reason: 'query_rejected' },
    { status: [400, 422], message: /too long|at most \d+ characters/i, reason: 'query_rejected' },
  ],
};

export function youSearch(search: AskedSearch): object {
  const language = SEARCH_LANGUAGE_TAGS.get(search.language ?? '')?.toUpperCase();
  return definedFields({ ...siteOptions(search), language });
}

export function youResearchSearch(search: AskedSearch): object {
  return { source_control: definedFields(siteOptions(search)) };
}

function siteOptions({ includeDomains, excludeDomains, country }: AskedSearch): Record<string, unknown> {
  return { include_domains: includeDomains, exclude_domains: excludeDomains, country };
}
