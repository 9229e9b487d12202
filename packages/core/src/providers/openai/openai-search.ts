import type { AskedSearch } from '../../search-options/asked-search.js';
import type { OptionSupport } from '../../search-options/option-support.js';

/**
 * Of the tool `web_search` (openai-openapi of 2026-08-21): domains include their subdomains, and 100 are taken. `blocked_domains` is in no document of
 * OpenAI's, and was found to let blocked pages through (community.openai.com, 2026).
 */
export const OPENAI_OPTIONS = {
  includeDomains: { as: 'tools[].filters.allowed_domains' },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** Fields of the tool. The country is not among them: it is the settings' own field. */
export function openaiSearch({ includeDomains }: AskedSearch): object {
  return includeDomains === undefined ? {} : { filters: { allowed_domains: includeDomains } };
}
