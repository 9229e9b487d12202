import type { AnswerModel, DynamicPrice } from '../../catalog/model-entry.js';
import { OPENAI_OPTIONS } from './openai-search.js';

const PRICING = 'https://developers.openai.com/api/docs/pricing';

/**
 * What holds for all models: tokens of retrieved pages are input tokens like any others. Above 272,000 input tokens rates rise, but
 * searches put in 128,000 at most.
 */
const SHARED = {
  kind: 'dynamic',
  perSearch: '0.01',
  asOf: '2026-11-20',
  notes: 'typical: two searches, 20,000 tokens in, 1,200 out; ceiling: four searches, 128,000 in, 8,000 out.',
} as const;

const COMMON = {
  features: ['citations', 'reasoning', 'streaming'],
  vendorFeatures: ['structured_output'],
  options: OPENAI_OPTIONS,
  // 922,000 in and 128,000 out.
  contextLength: 1_050_000,
} as const;

const LUNA_PRICE: DynamicPrice = {
  ...SHARED,
  perMillionInputTokens: '0.10',
  perMillionCachedInputTokens: '0.01',
  perMillionOutputTokens: '0.50',
  typical: '0.023',
  ceiling: '0.06',
  source: `${PRICING} ; npm @pydantic/genai-prices 0.1.8`,
  confidence: 'high',
};

const TERRA_PRICE: DynamicPrice = {
  ...SHARED,
  perMillionInputTokens: '1.00',
  perMillionCachedInputTokens: '0.05',
  perMillionOutputTokens: '5.00',
  typical: '0.046',
  ceiling: '0.21',
  source: 'https://docs.litellm.ai/blog/gpt-6-1-terra ; https://apidog.com/de/blog/gpt-6-1-terra-pricing/',
  asOf: '2026-11-22',
  confidence: 'high',
};

const SOL_PRICE: DynamicPrice = {
  ...SHARED,
  perMillionInputTokens: '2.00',
  // That of gpt-6.1-sol (low confidence).
  perMillionCachedInputTokens: '0.10',
  perMillionOutputTokens: '10.00',
  typical: '0.072',
  ceiling: '0.40',
  source: 'docs.laozhang.ai, announcement of 2026-11-18 ; BerriAI/litellm discussion 52347',
  confidence: 'medium',
};

const ASTRA_PRICE: DynamicPrice = {
  ...SHARED,
  perMillionInputTokens: '8.00',
  perMillionCachedInputTokens: '0.40',
  perMillionOutputTokens: '40.00',
  typical: '0.228',
  ceiling: '1.40',
  source: 'docs.laozhang.ai, announcement of 2026-11-18 ; BerriAI/litellm discussion 52347',
  confidence: 'medium',
};

/** OpenAI's models with web search. `gpt-4o-search-preview` and its sibling ended on 2026-07-23. */
export const OPENAI_MODELS: readonly AnswerModel[] = [
  {
    ...COMMON,
    slug: 'openai/gpt-6-luna',
    name: 'GPT-6 Luna with web search',
    description: 'OpenAI’s small, fast model: quick answers with citations.',
    prices: [LUNA_PRICE],
    // 3 to 15 s with little reasoning, up to 60 s according to gateways (2026-11-20).
    timeoutMs: 90_000,
  },
  {
    ...COMMON,
    slug: 'openai/gpt-6.1-terra',
    name: 'GPT-6.1 Terra with web search',
    description: 'OpenAI’s middle model: more careful than Luna, half the price of Sol.',
    prices: [TERRA_PRICE],
    timeoutMs: 90_000,
  },
  {
    ...COMMON,
    slug: 'openai/gpt-6.2-sol',
    name: 'GPT-6.2 Sol with web search',
    description: 'OpenAI’s everyday reasoning model, which decides for itself how often to search.',
    prices: [SOL_PRICE],
    timeoutMs: 90_000,
  },
  {
    ...COMMON,
    slug: 'openai/gpt-6.2-astra',
    name: 'GPT-6.2 Astra with web search',
    description: 'OpenAI’s strongest model, for hard questions that take many sources.',
    prices: [ASTRA_PRICE],
    timeoutMs: 180_000,
  },
];
