import { FEATURE_FLAGS, type FeatureFlag } from './feature-flags.js';

interface CategoryFacts {
  /** The port of a provider that serves its models. */
  readonly port: string;
  /** What a price that the host sets is of. Default: a call. */
  readonly hostPrice?: 'perPage' | 'perSearchUnit' | 'perMillionTokens';
  /** Whether the catalog may price its models by tokens alone. Default: no. */
  readonly isOfTokens?: boolean;
  /** Features that callers get, by a field of the request or without. */
  readonly served: readonly FeatureFlag[];
}

const LIFE_CYCLE: readonly FeatureFlag[] = ['legacy', 'deprecated'];

/** The categories of models, in the order of lists. Each is the `category` of one kind of calls: the kind `embeddings` asks models of `embedding`. */
export const CATEGORY_FACTS = {
  search: {
    port: 'search',
    served: ['content', 'highlights', 'domains_filter', 'date_filter', 'location', 'language_filter', 'multilingual'],
  },
  embedding: {
    port: 'embed',
    hostPrice: 'perMillionTokens',
    isOfTokens: true,
    served: ['dimensions_param', 'input_type', 'multilingual', 'code'],
  },
  rerank: {
    port: 'rerank',
    hostPrice: 'perSearchUnit',
    isOfTokens: true,
    served: ['multilingual', 'long_context', 'code'],
  },
  extract: {
    port: 'extract',
    hostPrice: 'perPage',
    served: ['markdown', 'batch_urls', 'js_render', 'pdf', 'multilingual'],
  },
  answer: {
    port: 'answer',
    served: [
      'citations',
      'streaming',
      'reasoning',
      'deep_research',
      'multi_turn',
      'json_schema',
      'instructions',
      'max_output_tokens',
    ],
  },
} as const satisfies Readonly<Record<string, CategoryFacts>>;

/** Which calls a model serves. */
export type Category = keyof typeof CATEGORY_FACTS;
/** The name of a port of a provider. */
export type ProviderPort = (typeof CATEGORY_FACTS)[Category]['port'];
/** All of them. */
export const CATEGORIES = Object.keys(CATEGORY_FACTS) as readonly Category[];

/** One value for each port. */
export function byPort<T>(valueOf: (category: Category) => T): Readonly<Record<ProviderPort, T>> {
  const entries = CATEGORIES.map((category) => [CATEGORY_FACTS[category].port, valueOf(category)] as const);
  return Object.fromEntries(entries) as unknown as Record<ProviderPort, T>;
}

const factsOf = (category: Category): CategoryFacts => CATEGORY_FACTS[category];

/** The unit of a price that the host sets for a model; `undefined` for a call. */
export function hostPriceOf(category: Category): CategoryFacts['hostPrice'] {
  return factsOf(category).hostPrice;
}

/** Whether the catalog may price a model by tokens alone. */
export function isOfTokens(category: Category): boolean {
  return factsOf(category).isOfTokens === true;
}

/** Whether a callable model may be listed with a feature. Words other than {@link FEATURE_FLAGS} are allowed: the host defines their meaning. */
export function isServed(feature: string, category: Category): boolean {
  return servedBy(category).includes(feature) || !Object.hasOwn(FEATURE_FLAGS, feature);
}

/** The flags that a callable model may have. */
export function servedBy(category: Category): readonly string[] {
  return [...factsOf(category).served, ...LIFE_CYCLE];
}
