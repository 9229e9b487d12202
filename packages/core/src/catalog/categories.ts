import { FEATURE_FLAGS, type FeatureFlag } from './feature-flags.js';

/** The five kinds of models. */
export const CATEGORIES = ['search', 'embedding', 'rerank', 'extract', 'answer'] as const;
/** The kind of calls that a model serves. */
export type Category = (typeof CATEGORIES)[number];

interface CategoryFacts {
  /** What a price that the host sets is of. Default: a call. */
  readonly hostPrice?: 'perPage' | 'perSearchUnit' | 'perMillionTokens';
  /** Features that callers get, by a field of the request or without. */
  readonly served: readonly FeatureFlag[];
}

const LIFE_CYCLE: readonly FeatureFlag[] = ['legacy', 'deprecated'];

const FACTS: Readonly<Record<Category, CategoryFacts>> = {
  answer: { served: ['citations', 'streaming', 'reasoning', 'deep_research', 'multi_turn', 'json_schema'] },
  search: {
    served: ['content', 'highlights', 'domains_filter', 'date_filter', 'location', 'language_filter', 'multilingual'],
  },
  rerank: { hostPrice: 'perSearchUnit', served: ['multilingual', 'long_context', 'code'] },
  embedding: { hostPrice: 'perMillionTokens', served: ['dimensions_param', 'input_type', 'multilingual', 'code'] },
  extract: { hostPrice: 'perPage', served: ['markdown', 'batch_urls', 'js_render', 'pdf', 'multilingual'] },
};

/** The unit of a price that the host sets for a model; `undefined` for a call. */
export function hostPriceOf(category: Category): CategoryFacts['hostPrice'] {
  return FACTS[category].hostPrice;
}

/** Whether a callable model may be listed with a feature. Words other than {@link FEATURE_FLAGS} are allowed: the host defines their meaning. */
export function isServed(feature: string, category: Category): boolean {
  return servedBy(category).includes(feature) || !Object.hasOwn(FEATURE_FLAGS, feature);
}

/** The flags that a callable model may have, for error messages. */
export function servedFeatures(category: Category): string {
  return servedBy(category).join(', ');
}

function servedBy(category: Category): readonly string[] {
  return [...FACTS[category].served, ...LIFE_CYCLE];
}
