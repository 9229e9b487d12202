import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/**
 * Of the tool `web_search` (openai-openapi of 2026-08-21): domains include their subdomains, and 100 are taken. `filters.blocked_domains` is documented
 * (guide tools-web-search, domain filtering, as quoted 2026-09), but was found to let blocked pages through (community.openai.com, 2026: 13 of 213). So
 * `excludeDomains: { as: 'tools[].filters.blocked_domains' }` is left out here, until citations of blocked pages are dropped.
 */
export const OPENAI_OPTIONS = {
  includeDomains: { as: 'tools[].filters.allowed_domains' },
  excludeDomains: { as: 'tools[].filters.blocked_domains' },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** Fields of the tool. The country is not among them: it is the settings' own field. */
export function openaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return Object.keys(filters).length === 0 ? {} : { filters };
}
