import { FEATURE_FLAGS, type FeatureFlag } from './feature-flags.js';

interface CategoryFacts {
  /** What a price that the host sets is of. Default: a call. */
  readonly hostPrice?: 'perPage' | 'perSearchUnit' | 'perMillionTokens';
  /** Features that callers get, by a field of the request or without. */
  readonly served: readonly FeatureFlag[];
}

const LIFE_CYCLE: readonly FeatureFlag[] = ['legacy', 'deprecated'];

/** The kinds of models, in the order of lists. */
export const CATEGORY_FACTS = {
  search: {
    served: ['content', 'highlights', 'domains_filter', 'date_filter', 'location', 'language_filter', 'multilingual'],
  },
  embedding: { hostPrice: 'perMillionTokens', served: ['dimensions_param', 'input_type', 'multilingual', 'code'] },
  rerank: { hostPrice: 'perSearchUnit', served: ['multilingual', 'long_context', 'code'] },
  extract: { hostPrice: 'perPage', served: ['markdown', 'batch_urls', 'js_render', 'pdf', 'multilingual'] },
  answer: { served: ['citations', 'streaming', 'reasoning', 'deep_research', 'multi_turn', 'json_schema'] },
} as const satisfies Readonly<Record<string, CategoryFacts>>;

/** The kind of calls that a model serves. */
export type Category = keyof typeof CATEGORY_FACTS;
/** All of them. */
export const CATEGORIES = Object.keys(CATEGORY_FACTS) as readonly Category[];

const factsOf = (category: Category): CategoryFacts => CATEGORY_FACTS[category];

/** The unit of a price that the host sets for a model; `undefined` for a call. */
export function hostPriceOf(category: Category): CategoryFacts['hostPrice'] {
  return factsOf(category).hostPrice;
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
  return [...factsOf(category).served, ...LIFE_CYCLE];
}
