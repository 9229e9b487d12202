import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Of the tool `web_search` (platform.claude.com, read 2026-11-20): domains include their subdomains. It takes no dates and no language. */
export const ANTHROPIC_OPTIONS = {
  includeDomains: { as: 'tools[].allowed_domains' },
  excludeDomains: { as: 'tools[].blocked_domains' },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** Fields of the tool. A country takes the place of the whole location in the settings, whose city would contradict it. */
export function anthropicSearch({ includeDomains, excludeDomains, country }: AskedSearch): object {
  return definedFields({
    allowed_domains: includeDomains,
    blocked_domains: excludeDomains,
    user_location: country && { type: 'approximate', country },
  });
}
