import { z } from 'zod';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import type { Provider, ProviderSettings } from '../../provider-kit/provider.js';
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

/**
 * Z.ai (z.ai): answers by its chat completions with web search, and its search and reader. Experimental: not proved against the service.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const zai: (settings: ZaiSettings) => Provider = defineProvider({
  id: 'zai',
  name: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  models: rows,
  byName: ['answer'],
  settings: {
    searchEngine: textLike(/^[\w-]+$/, 'the name of a search engine, such as search_pro_jina').default(DEFAULT_ENGINE),
    contentSize: z.enum(['medium', 'high'], 'medium or high').default('medium'),
  },
  adjust(model, { searchEngine }, port) {
    if (port === 'answer') return withEngine(model, searchEngine);
    return withEngine(model, webSearchEngine(searchEngine), WEB_SEARCH_ENGINE);
  },
  ports: (connection, options) => ({
    answer: zaiAnswer(connection, options),
    search: zaiSearchPort(connection, webSearchEngine(options.searchEngine)),
    extract: { maxUrls: 1, extract: zaiExtractPort(connection) },
  }),
});

function webSearchEngine(searchEngine: string): string {
  return searchEngine === DEFAULT_ENGINE ? WEB_SEARCH_ENGINE : searchEngine;
}
