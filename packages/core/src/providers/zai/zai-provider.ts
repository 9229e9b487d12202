import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { readModels } from '../../provider-kit/read-models.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import rows from './models.json' with { type: 'json' };
import { DEFAULT_ENGINE, withEngine, zaiAnswer } from './zai-answer.js';
import { WEB_SEARCH_ENGINE, zaiExtractPort, zaiSearchPort } from './zai-ports.js';

/** The settings of `zai()`. */
export interface ZaiSettings extends ProviderSettings {
  /**
   * The search engine. Default `search_pro_jina`, the engine of Z.ai's API schema, though Z.ai's guide says `search-prime` (2026-09-03). The Chinese service
   * has other engines, such as `search_pro`. Searches without an answer use the given engine too; by default theirs is `search-prime`.
   */
  readonly searchEngine?: string | undefined;
  /** How much of each page the model reads: about 500 characters, or 2,500 (`high`), which takes more tokens. Default `medium`. */
  readonly contentSize?: 'medium' | 'high' | undefined;
}

const zaiSettings = z.strictObject({
  ...commonSettings('https://api.z.ai/api/paas/v4', readModels('zai', rows)),
  searchEngine: textLike(/^[\w-]+$/, 'the name of a search engine, such as search_pro_jina').default(DEFAULT_ENGINE),
  contentSize: z.enum(['medium', 'high'], 'medium or high').default('medium'),
});

/**
 * Z.ai (z.ai): answers by its chat completions with web search, and its search and reader. Experimental: not proved against the service.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function zai(settings: ZaiSettings): Provider {
  const { models, searchModels, extractModels, ...parsed } = parseProviderSettings(zaiSettings, settings, 'zai');
  const { common, connection, options } = parsed;
  const { searchEngine } = options;
  const webSearchEngine = searchEngine === DEFAULT_ENGINE ? WEB_SEARCH_ENGINE : searchEngine;
  return {
    id: 'zai',
    name: 'Z.ai',
    models: models.map((model) => withEngine(model, searchEngine)),
    ...common,
    answer: zaiAnswer(connection, options),
    search: {
      models: searchModels.map((model) => withEngine(model, webSearchEngine, WEB_SEARCH_ENGINE)),
      search: zaiSearchPort(connection, webSearchEngine),
    },
    extract: { models: extractModels, maxUrls: 1, extract: zaiExtractPort(connection) },
  };
}
