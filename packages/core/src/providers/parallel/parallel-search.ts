import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/**
 * Of `/v1/responses` (docs.parallel.ai/responses-api/features/web-search-tool, read 2026-11-22), which ignores `user_location`. Subdomains count.
 * Medium confidence: by the OpenAPI document 0.1.2 tools have no effect, and the page is newer.
 */
export const PARALLEL_OPTIONS = {
  includeDomains: { as: 'tools[].filters.allowed_domains' },
  excludeDomains: { as: 'tools[].filters.blocked_domains' },
} as const satisfies OptionSupport;

/** It searches without a tool; one that is named only narrows the search down. */
export function parallelSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return { tools: [{ type: 'web_search', filters }] };
}
