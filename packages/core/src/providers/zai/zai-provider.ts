import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { zaiAnswer } from './zai-answer.js';
import { ZAI_MODELS } from './zai-models.js';
import { DEFAULT_ENGINE, withEngine } from './zai-search.js';

export interface ZaiSettings extends ProviderSettings {
  /**
   * The engine that searches. Default `search_pro_jina`, the one of Z.ai's API schema, though its guide says `search-prime` (2026-09-03); the Chinese service
   * has others, such as `search_pro`.
   */
  readonly searchEngine?: string | undefined;
  /** How much of each page the model reads: about 500 characters, or 2,500 (`high`), which cost more tokens. Default `medium`. */
  readonly contentSize?: 'medium' | 'high' | undefined;
}

const ENGINE = 'the name of a search engine, such as search_pro_jina';

const zaiSettings = z.strictObject({
  ...commonSettings('https://api.z.ai/api/paas/v4', ZAI_MODELS),
  searchEngine: z
    .string(ENGINE)
    .regex(/^[\w-]+$/, ENGINE)
    .default(DEFAULT_ENGINE),
  contentSize: z.enum(['medium', 'high'], 'medium or high').default('medium'),
});

/**
 * Z.ai (z.ai), by its chat completions with web search. Experimental: not proved against the service.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function zai(settings: ZaiSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(zaiSettings, settings, 'zai');
  return {
    id: 'zai',
    name: 'Z.ai',
    models: models.map((model) => withEngine(model, options.searchEngine)),
    limits,
    answer: zaiAnswer(connection, options),
  };
}
