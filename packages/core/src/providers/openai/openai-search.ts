import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Fields of the tool. The country is set beside them, because the settings have a country as well. */
export function openaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return Object.keys(filters).length === 0 ? {} : { filters };
}
