import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import type { Freshness } from '../../base/search-options/search-options.js';
import type { AnswerModel } from '../../catalog/model-entry.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

const FIELD = 'tools[].web_search';
const RECENCY: Readonly<Record<Freshness, string>> = {
  day: 'oneDay',
  week: 'oneWeek',
  month: 'oneMonth',
  year: 'oneYear',
};

/** The engine of Z.ai's API schema. */
export const DEFAULT_ENGINE = 'search_pro_jina';

/**
 * Of the tool `web_search` (docs.z.ai by third parties, 2026-09 to 2026-11; medium confidence): one domain, and no dates. Z.ai's document does not offer the
 * tool to GLM-5.3 Flash.
 */
export const ZAI_OPTIONS = {
  includeDomains: { as: `${FIELD}.search_domain_filter`, max: 1 },
  freshness: { as: `${FIELD}.search_recency_filter` },
} as const satisfies OptionSupport;

/** A model with what holds for an engine: domains are known to with the default one alone, since some others ignore them (public clients, 2026-09). */
export function withEngine(model: AnswerModel, engine: string): AnswerModel {
  if (model.options === undefined || engine === DEFAULT_ENGINE) return model;
  return { ...model, options: { ...model.options, includeDomains: undefined } };
}

/** Fields of the tool. */
export function zaiSearch({ includeDomains, freshness }: AskedSearch): object {
  return definedFields({
    search_domain_filter: includeDomains?.[0],
    search_recency_filter: freshness && RECENCY[freshness],
  });
}
