import { formatUsd, fromTokenParts, parseUsd, tokenPart } from '../../base/money.js';
import type { DynamicPrice, ModelRow } from '../../catalog/model-entry.js';
import { listedModels } from '../../provider-kit/listed-models.js';
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

/** Tokens of an answer; of a search with the text of ten pages, which takes 10,000 without the text; of a page. */
const TOKENS = {
  ...JINA_TIERS,
  'jina/search': { typicalTokens: 100_000, ceilingTokens: 1_000_000 },
  'jina/reader': { typicalTokens: 10_000, ceilingTokens: 200_000 },
} as const;

const PRICE_OF_TOKENS = 'Portkey-AI/models@f654307 pricing/jina.json';
const ANSWERS = {
  source: `https://jina.ai/deepsearch ; jina-ai/node-DeepResearch@579fd95 ; ${PRICE_OF_TOKENS}`,
  notes: 'typical and ceiling: estimates by the budget of the effort.',
} as const;
const PAGES = {
  source: `jina-ai/reader@f289e5d ; ${PRICE_OF_TOKENS}`,
  notes:
    'typical and ceiling: estimates. A search takes at least 10,000 tokens for each ten results, a call at most 2,000,000.',
} as const;

const COMMON = {
  features: ['citations', 'reasoning', 'deep_research', 'multi_turn'],
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

/** `s.jina.ai`: 2.5 s on average, 8 s and more with the text of pages (jina.ai/api-dashboard, read 2026-11-26). */
export const JINA_SEARCH_MODELS = listedModels({
  category: 'search',
  provider: 'jina',
  // The language of `hl` is of Google's pages, not of those found. For excluded domains and dates there are no fields.
  shared: { options: { includeDomains: { as: 'site' }, country: { as: 'gl' } }, timeoutMs: 45_000 },
  models: { search: { prices: [priceOf('jina/search', LIST_PRICE_OF_TOKENS)] } },
});

/** `r.jina.ai`: 7.9 s on average (the same page). */
export const JINA_EXTRACT_MODELS = listedModels({
  category: 'extract',
  provider: 'jina',
  shared: { timeoutMs: 60_000 },
  models: { reader: { prices: [priceOf('jina/reader', LIST_PRICE_OF_TOKENS)] } },
});

/** The model with another price per million tokens. */
export function atTokenPrice(model: ModelRow, usdPerMillionTokens: string): ModelRow {
  return { ...model, prices: [priceOf(model.slug as keyof typeof TOKENS, usdPerMillionTokens)] };
}

function priceOf(slug: keyof typeof TOKENS, usdPerMillionTokens: string): DynamicPrice {
  const { typicalTokens, ceilingTokens } = TOKENS[slug];
  const estimate = (tokens: number) => formatUsd(fromTokenParts(tokenPart(tokens, parseUsd(usdPerMillionTokens))));
  return {
    kind: 'dynamic',
    perMillionInputTokens: usdPerMillionTokens,
    perMillionOutputTokens: usdPerMillionTokens,
    typical: estimate(typicalTokens),
    ceiling: estimate(ceilingTokens),
    ...(slug in JINA_TIERS ? ANSWERS : PAGES),
    asOf: '2026-11-20',
    confidence: 'low',
  };
}
