import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** xAI takes five domains. */
const MAX_DOMAINS = 5;

/** Of the tool `web_search` (docs.x.ai, read 2026-11-22), whose page names no location: that is in xAI's own SDK alone. */
export const XAI_OPTIONS = {
  includeDomains: { as: 'tools[].filters.allowed_domains', max: MAX_DOMAINS },
  excludeDomains: { as: 'tools[].filters.excluded_domains', max: MAX_DOMAINS },
} as const satisfies OptionSupport;

/** Fields of the tool. */
export function xaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  return { filters: definedFields({ allowed_domains: includeDomains, excluded_domains: excludeDomains }) };
}
