import { z } from 'zod';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { wholeNumber } from '../../provider-kit/setting-schemas.js';
import { XAI_EFFORTS, XAI_OPTIONS, xaiAnswer } from './xai-answer.js';

const PRICING = 'https://docs.x.ai/docs/models';

/**
 * xAI reports the cost of every call; the rates are for replies without a cost. From 200,000 input tokens on, tokens cost twice as much.
 */
const PRICE = {
  kind: 'dynamic',
  perSearch: '0.005',
  asOf: '2026-11-20',
  notes: 'typical: three searches, 20,000 tokens in, 1,500 out; ceiling: ten searches, 150,000 in, 8,000 out.',
} as const;
const COMMON = {
  features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  options: XAI_OPTIONS,
  // 12 s were measured for an answer with five searches; 10 to 40 s are usual (2026-07).
  timeoutMs: 120_000,
};

/** xAI's models with web search. */
const XAI_MODELS = modelRows(COMMON, [
  {
    slug: 'xai/grok-4.3',
    name: 'Grok 4.3 with web search',
    description: 'xAI’s standard model, which searches and opens pages until it can answer.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '1.25', cachedInput: '0.20', output: '2.50' }),
        typical: '0.044',
        ceiling: '0.26',
        source: `${PRICING} ; npm @pydantic/genai-prices 0.1.8`,
        confidence: 'high',
      },
    ],
    contextLength: 1_000_000,
  },
  {
    slug: 'xai/grok-4.7',
    name: 'Grok 4.7 with web search',
    description: 'xAI’s strongest model, for questions that take more thought.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '2.00', cachedInput: '0.50', output: '6.00' }),
        typical: '0.064',
        ceiling: '0.40',
        source: PRICING,
        confidence: 'medium',
      },
    ],
    contextLength: 500_000,
  },
]);

export interface XaiSettings extends ProviderSettings {
  /**
   * How much the model thinks before it answers: more thought finds more, costs more and takes longer. For Grok 4.3 `xhigh` means
   * `high`, and for Grok 4.7 `none` means `low`, because the models do not know these levels (2026-11-22). Default `low`.
   */
  readonly reasoningEffort?: 'none' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /**
   * The most searches that the model is asked to make, 1 to 20. Each search has a fee. The setting also limits the turns with tools (`max_turns`), but the
   * model may search several times in a turn. Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** The longest reply in tokens, thoughts included, from 1,024 to 128,000; an answer that reaches it is lost. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const xaiSettings = z.strictObject({
  ...commonSettings('https://api.x.ai/v1', XAI_MODELS),
  reasoningEffort: z.enum(XAI_EFFORTS, 'none, low, medium, high or xhigh').default('low'),
  maxSearches: wholeNumber(1, 20).default(3),
  maxOutputTokens: wholeNumber(1_024, 128_000).default(8_192),
});

/**
 * xAI (x.ai), by its Responses API. Limits of requests and tokens hold per team and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function xai(settings: XaiSettings): Provider {
  const { models, common, connection, options } = parseProviderSettings(xaiSettings, settings, 'xai');
  return { id: 'xai', name: 'xAI', models, ...common, answer: xaiAnswer(connection, options) };
}
