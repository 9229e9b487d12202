import type { AnswerModel } from '../../catalog/model-entry.js';
import { ZAI_OPTIONS } from './zai-search.js';

const PRICE = {
  kind: 'dynamic',
  perSearch: '0.01',
  source: 'npm @pydantic/genai-prices 0.1.8; https://docs.z.ai/guides/overview/pricing',
  asOf: '2026-09-23',
} as const;

const NOTES =
  'Experimental: put together from third parties’ accounts, not tested with the service. Replies do not report the number of searches; one search is counted.';

const COMMON = {
  features: ['citations', 'streaming'],
  vendorFeatures: ['content'],
  contextLength: 1_000_000,
  // 5 to 20 s by public accounts (2026-11).
  timeoutMs: 90_000,
} as const;

/** Z.ai's models with its web search, which gives passages of the pages it found. */
export const ZAI_MODELS: readonly AnswerModel[] = [
  {
    slug: 'zai/glm-5.3',
    name: 'GLM-5.3 with web search',
    description: 'Z.ai’s large model, answering from the pages of one web search.',
    prices: [
      {
        ...PRICE,
        perMillionInputTokens: '1.4',
        perMillionCachedInputTokens: '0.26',
        perMillionOutputTokens: '4.4',
        typical: '0.02',
        ceiling: '0.08',
        confidence: 'medium',
        notes: NOTES,
      },
    ],
    ...COMMON,
    options: ZAI_OPTIONS,
  },
  {
    slug: 'zai/glm-5.3-flash',
    name: 'GLM-5.3 Flash with web search',
    description: 'Z.ai’s small and cheap model, answering from the pages of one web search.',
    prices: [
      {
        ...PRICE,
        perMillionInputTokens: '0.075',
        perMillionCachedInputTokens: '0.015',
        perMillionOutputTokens: '0.25',
        typical: '0.011',
        ceiling: '0.02',
        confidence: 'low',
        notes: `${NOTES} Another list says 0.15 for a million tokens in.`,
      },
    ],
    ...COMMON,
  },
];
