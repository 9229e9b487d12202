import { z } from 'zod';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import { DEFAULT_ENGINE, withEngine, ZAI_OPTIONS, zaiAnswer } from './zai-answer.js';
import {
  WEB_SEARCH_ENGINE,
  ZAI_EXTRACT_MODELS,
  ZAI_SEARCH_MODELS,
  zaiExtractPort,
  zaiSearchPort,
} from './zai-ports.js';

const PRICE = {
  kind: 'dynamic',
  perSearch: '0.01',
  source: 'npm @pydantic/genai-prices 0.1.8; https://docs.z.ai/guides/overview/pricing',
  asOf: '2026-09-23',
  notes: 'Experimental: not tested with the service. One search is counted; replies do not report the number.',
} as const;

const COMMON = {
  features: ['citations', 'streaming', 'multi_turn'],
  contextLength: 1_000_000,
  // 5 to 20 s by public accounts (2026-11).
  timeoutMs: 90_000,
} as const;

/** Z.ai's models with web search, which gives passages of the found pages. */
const ZAI_MODELS = modelRows(COMMON, [
  {
    slug: 'zai/glm-5.3',
    name: 'GLM-5.3 with web search',
    description: 'Z.ai’s large model, answering from the pages of one web search.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '1.4', cachedInput: '0.26', output: '4.4' }),
        typical: '0.02',
        ceiling: '0.08',
        confidence: 'medium',
      },
    ],
    options: ZAI_OPTIONS,
  },
  {
    slug: 'zai/glm-5.3-flash',
    name: 'GLM-5.3 Flash with web search',
    description: 'Z.ai’s small and cheap model, answering from the pages of one web search.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '0.075', cachedInput: '0.015', output: '0.25' }),
        typical: '0.011',
        ceiling: '0.02',
        confidence: 'low',
      },
    ],
  },
]);

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
  ...commonSettings('https://api.z.ai/api/paas/v4', {
    answer: ZAI_MODELS,
    search: ZAI_SEARCH_MODELS,
    extract: ZAI_EXTRACT_MODELS,
  }),
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
