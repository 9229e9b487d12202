import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { SEARCH_LANGUAGE_TAGS } from '../../provider-kit/languages.js';

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
