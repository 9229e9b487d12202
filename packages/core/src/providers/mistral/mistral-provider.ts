import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { mistralAnswer } from './mistral-answer.js';
import { atFeeOf, MISTRAL_MODELS } from './mistral-models.js';

export interface MistralSettings extends ProviderSettings {
  /**
   * The tool that searches. The premium one adds the articles of news agencies and costs 0.05 instead of 0.03 USD a search (2026-11, medium confidence).
   * Default `web_search`.
   */
  readonly searchTool?: 'web_search' | 'web_search_premium' | undefined;
  /** Most tokens of an answer, 256 to 100,000: one that uses them up is taken to be cut off and fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const SEARCH_TOOLS = ['web_search', 'web_search_premium'] as const;
const OUTPUT_TOKENS = 'a whole number from 256 to 100000';

const mistralSettings = z.strictObject({
  ...commonSettings('https://api.mistral.ai', MISTRAL_MODELS),
  searchTool: z.enum(SEARCH_TOOLS, 'web_search or web_search_premium').default('web_search'),
  maxOutputTokens: z.int(OUTPUT_TOKENS).min(256, OUTPUT_TOKENS).max(100_000, OUTPUT_TOKENS).default(8_192),
});

/**
 * Mistral (mistral.ai), by its Conversations API with web search. Conversations are not stored. `https://api.eu.mistral.ai` and
 * `https://api.us.mistral.ai` keep to one region (as `baseUrl`).
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function mistral(settings: MistralSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(mistralSettings, settings, 'mistral');
  return {
    id: 'mistral',
    name: 'Mistral',
    models: models.map((model) => atFeeOf(options.searchTool, model)),
    limits,
    answer: mistralAnswer(connection, options),
  };
}
