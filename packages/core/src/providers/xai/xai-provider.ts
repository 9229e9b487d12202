import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { XAI_EFFORTS, xaiAnswer } from './xai-answer.js';
import { XAI_MODELS } from './xai-models.js';

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
