import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { YOU_COUNTRIES, YOU_LANGUAGES } from './you-places.js';

/** You.com's tags that are languages of ISO 639-1, in capital letters; Japanese alone has another one. */
const TAGS: ReadonlyMap<string, string> = new Map(
  YOU_LANGUAGES.filter((tag) => tag.length === 2).map((tag) => [tag === 'JP' ? 'ja' : tag.toLowerCase(), tag]),
);

/**
 * Of `/v1/answer` (you.com/docs/guides/answer/search-controls, read 2026-11-22). `freshness` is left out: where the words of a question name a time, the
 * wider of both is searched.
 */
export const YOU_ANSWER_OPTIONS = {
  includeDomains: { as: 'include_domains' },
  excludeDomains: { as: 'exclude_domains' },
  country: { as: 'country', values: YOU_COUNTRIES },
  language: { as: 'language', values: [...TAGS.keys()] },
} as const satisfies OptionSupport;

/** Of `/v1/research` (you.com/docs/guides/research/source-control, read 2026-11-22), a beta; for its `freshness` the same is to be feared. */
export const YOU_RESEARCH_OPTIONS = {
  includeDomains: { as: 'source_control.include_domains' },
  excludeDomains: { as: 'source_control.exclude_domains' },
  country: { as: 'source_control.country' },
} as const satisfies OptionSupport;

export function youAnswerSearch(search: AskedSearch): object {
  return definedFields({ ...sources(search), language: TAGS.get(search.language ?? '') });
}

export function youResearchSearch(search: AskedSearch): object {
  return { source_control: definedFields(sources(search)) };
}

function sources({ includeDomains, excludeDomains, country }: AskedSearch): Record<string, unknown> {
  return { include_domains: includeDomains, exclude_domains: excludeDomains, country };
}
