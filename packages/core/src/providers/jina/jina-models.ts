import { formatUsd, fromTokenParts, parseUsd, tokenPart } from '../../base/money.js';
import type { DynamicPrice, ModelRow } from '../../catalog/model-entry.js';
import { modelRows } from '../../provider-kit/model-rows.js';

/** USD per million tokens, by the package sold in 2026-11. */
export const LIST_PRICE_OF_TOKENS = '0.05';

/**
 * The effort of each model, the tokens of a usual call, and a ceiling. Efforts are budgets of 100,000 and of a million tokens; reported runs exceeded
 * them.
 */
export const JINA_TIERS = {
  'jina/deepsearch': { effort: 'low', typicalTokens: 100_000, ceilingTokens: 500_000 },
  'jina/deepsearch-high': { effort: 'high', typicalTokens: 600_000, ceilingTokens: 2_000_000 },
} as const;

const COMMON = {
  features: ['citations', 'reasoning', 'deep_research'],
  vendorFeatures: ['streaming', 'structured_output', 'domains_filter'],
  contextLength: null,
};

/** Jina's answers, at the price of {@link LIST_PRICE_OF_TOKENS}. */
export const JINA_MODELS = modelRows(COMMON, [
  {
    slug: 'jina/deepsearch',
    name: 'Jina DeepSearch',
    description: 'Searches, reads and reasons in turns until it has an answer; takes about a minute.',
    prices: [priceOf('jina/deepsearch', LIST_PRICE_OF_TOKENS)],
    // 57 s on average according to Jina (2026-11-20).
    timeoutMs: 180_000,
  },
  {
    slug: 'jina/deepsearch-high',
    name: 'Jina DeepSearch (high effort)',
    description: 'The same with ten times the budget and more attempts at an answer that holds; takes minutes.',
    prices: [priceOf('jina/deepsearch-high', LIST_PRICE_OF_TOKENS)],
    timeoutMs: 600_000,
  },
]);

/** The model with another price per million tokens. */
export function atTokenPrice(model: ModelRow, usdPerMillionTokens: string): ModelRow {
  return { ...model, prices: [priceOf(model.slug as keyof typeof JINA_TIERS, usdPerMillionTokens)] };
}

function priceOf(slug: keyof typeof JINA_TIERS, usdPerMillionTokens: string): DynamicPrice {
  const { typicalTokens, ceilingTokens } = JINA_TIERS[slug];
  const estimate = (tokens: number) => formatUsd(fromTokenParts(tokenPart(tokens, parseUsd(usdPerMillionTokens))));
  return {
    kind: 'dynamic',
    perMillionInputTokens: usdPerMillionTokens,
    perMillionOutputTokens: usdPerMillionTokens,
    typical: estimate(typicalTokens),
    ceiling: estimate(ceilingTokens),
    source:
      'https://jina.ai/deepsearch ; jina-ai/node-DeepResearch@579fd95 ; Portkey-AI/models@f654307 pricing/jina.json',
    asOf: '2026-11-20',
    confidence: 'low',
    notes:
      'All products of Jina share one balance, and each token costs the same. typical and ceiling: estimates by the budget of the effort.',
  };
}
