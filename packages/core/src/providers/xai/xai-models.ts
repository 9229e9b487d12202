import type { AnswerModel } from '../../catalog/model-entry.js';
import { XAI_OPTIONS } from './xai-search.js';

const PRICING = 'https://docs.x.ai/docs/models';

/**
 * xAI reports the cost of every call; the rates are for replies that lack it. From 200,000 tokens of input on, tokens cost twice as
 * much.
 */
const SHARED = { kind: 'dynamic', perSearch: '0.005', asOf: '2026-11-20' } as const;
const NOTES = 'typical: three searches, 20,000 tokens in, 1,500 out; ceiling: ten searches, 150,000 in, 8,000 out.';
const FEATURES = {
  features: ['citations', 'reasoning', 'streaming'],
  vendorFeatures: ['structured_output', 'location'],
  options: XAI_OPTIONS,
};

/** xAI's models with web search. */
export const XAI_MODELS: readonly AnswerModel[] = [
  {
    slug: 'xai/grok-4.3',
    name: 'Grok 4.3 with web search',
    description: 'xAI’s standard model, which searches and opens pages until it can answer.',
    prices: [
      {
        ...SHARED,
        perMillionInputTokens: '1.25',
        perMillionCachedInputTokens: '0.20',
        perMillionOutputTokens: '2.50',
        typical: '0.044',
        ceiling: '0.26',
        source: `${PRICING} ; npm @pydantic/genai-prices 0.1.8`,
        confidence: 'high',
        notes: NOTES,
      },
    ],
    ...FEATURES,
    contextLength: 1_000_000,
    // 12 s were measured for an answer with five searches; 10 to 40 s are usual (2026-07).
    timeoutMs: 120_000,
  },
  {
    slug: 'xai/grok-4.7',
    name: 'Grok 4.7 with web search',
    description: 'xAI’s strongest model, for questions that take more thought.',
    prices: [
      {
        ...SHARED,
        perMillionInputTokens: '2.00',
        perMillionCachedInputTokens: '0.50',
        perMillionOutputTokens: '6.00',
        typical: '0.064',
        ceiling: '0.40',
        source: PRICING,
        confidence: 'medium',
        notes: NOTES,
      },
    ],
    ...FEATURES,
    contextLength: 500_000,
    timeoutMs: 120_000,
  },
];
