import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { SEARCH_COUNTRIES } from '../../provider-kit/countries.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { SEARCH_LANGUAGE_TAGS } from '../../provider-kit/languages.js';

/**
 * Options of `/v1/answer` and `/v1/search` (you.com/docs/guides/answer/search-controls, read 2026-11-22; search/request-controls, read 2026-11-26). `freshness`
 * and dates are left out: if the question names a time, You.com searches the wider of the two periods.
 */
export const YOU_OPTIONS = {
  includeDomains: { as: 'include_domains' },
  excludeDomains: { as: 'exclude_domains' },
  country: { as: 'country', values: SEARCH_COUNTRIES },
  language: { as: 'language', values: [...SEARCH_LANGUAGE_TAGS.keys()] },
} as const satisfies OptionSupport;

/** Options of `/v1/research` (you.com/docs/guides/research/source-control, read 2026-11-22), a beta. `freshness` is left out for the same reason. */
export const YOU_RESEARCH_OPTIONS = {
  includeDomains: { as: 'source_control.include_domains' },
  excludeDomains: { as: 'source_control.exclude_domains' },
  country: { as: 'source_control.country' },
} as const satisfies OptionSupport;

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
