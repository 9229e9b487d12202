import { z } from 'zod';
import type { AnswerModel } from '../../catalog/model-entry.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { XAI_EFFORTS, xaiAnswer } from './xai-answer.js';
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
const XAI_MODELS: readonly AnswerModel[] = [
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

export interface XaiSettings extends ProviderSettings {
  /**
   * How much the model thinks before it answers: more finds more, costs more and takes longer. Grok 4.3 takes `xhigh` for `high`, Grok 4.7
   * `none` for `low`, as they do not know these levels (2026-11-22). Default `low`.
   */
  readonly reasoningEffort?: 'none' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /**
   * The most searches the model is asked to make, 1 to 20, each at a fee. It is also the most turns with tools (`max_turns`), in each of
   * which the model may still search several times. Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** The longest reply in tokens, thoughts included, from 1,024 to 128,000; an answer that reaches it is lost. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const SEARCHES = 'a whole number from 1 to 20';
const OUTPUT_TOKENS = 'a whole number from 1024 to 128000';

const xaiSettings = z.strictObject({
  ...commonSettings('https://api.x.ai/v1', XAI_MODELS),
  reasoningEffort: z.enum(XAI_EFFORTS, 'none, low, medium, high or xhigh').default('low'),
  maxSearches: z.int(SEARCHES).min(1, SEARCHES).max(20, SEARCHES).default(3),
  maxOutputTokens: z.int(OUTPUT_TOKENS).min(1_024, OUTPUT_TOKENS).max(128_000, OUTPUT_TOKENS).default(8_192),
});

/**
 * xAI (x.ai), by its Responses API. Limits of requests and tokens hold per team and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function xai(settings: XaiSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(xaiSettings, settings, 'xai');
  return { id: 'xai', name: 'xAI', models, limits, answer: xaiAnswer(connection, options) };
}
