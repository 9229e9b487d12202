import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Of the server tool `openrouter:web_search` (@openrouter/sdk 1.3.19, 2026-09-23). */
export const OPENROUTER_OPTIONS = {
  includeDomains: { as: 'tools[].parameters.allowed_domains' },
  excludeDomains: { as: 'tools[].parameters.excluded_domains' },
} as const satisfies OptionSupport;

/** Which domains hold depends on the engine, and by default that is the search of the model's vendor. Exa's takes both lists with every model. */
export function openrouterSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  return definedFields({ engine: 'exa', allowed_domains: includeDomains, excluded_domains: excludeDomains });
}
