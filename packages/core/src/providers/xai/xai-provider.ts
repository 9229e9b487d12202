import { z } from 'zod';
import { defineProvider } from '../../provider-kit/define-provider.js';
import type { Provider } from '../../provider-kit/provider.js';
import type { ProviderSettings } from '../../provider-kit/provider-settings.js';
import { wholeNumber } from '../../provider-kit/setting-schemas.js';
import rows from './models.json' with { type: 'json' };
import { XAI_EFFORTS, xaiAnswer } from './xai-answer.js';

/** The settings of `xai()`. */
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

/**
 * xAI (x.ai), by its Responses API. Limits of requests and tokens hold per team and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const xai: (settings: XaiSettings) => Provider = defineProvider({
  id: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  models: rows,
  settings: {
    reasoningEffort: z.enum(XAI_EFFORTS, 'none, low, medium, high or xhigh').default('low'),
    maxSearches: wholeNumber(1, 20).default(3),
    maxOutputTokens: wholeNumber(1_024, 128_000).default(8_192),
  },
  ports: (connection, options) => ({ answer: xaiAnswer(connection, options) }),
});
