import { z } from 'zod';
import type { AnswerModel } from '../../catalog/model-entry.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { openrouterAnswer } from './openrouter-answer.js';
import { OPENROUTER_OPTIONS } from './openrouter-search.js';

/** OpenRouter's one answer model: which model writes is a setting of the provider. */
const OPENROUTER_MODELS: readonly AnswerModel[] = [
  {
    slug: 'openrouter/answer',
    name: 'OpenRouter + web search',
    description: 'Any model of OpenRouter, with its web search and cited pages.',
    prices: [
      {
        kind: 'dynamic',
        typical: '0.05',
        ceiling: '0.5',
        source: 'https://openrouter.ai/docs/guides/features/server-tools/web-search',
        asOf: '2026-11-22',
        confidence: 'low',
        notes:
          'Experimental: not tested with the service. Replies report the cost, which depends on the configured model. Both figures are estimates for a model of average price.',
      },
    ],
    features: ['citations', 'streaming'],
    options: OPENROUTER_OPTIONS,
    contextLength: null,
    // No latency is published; a model that searches takes ten seconds to a minute at others (low confidence).
    timeoutMs: 120_000,
  },
];

export interface OpenrouterSettings extends ProviderSettings {
  /** OpenRouter's id of the model that answers, such as `openai/gpt-6-luna`. Default `openrouter/auto`, by which OpenRouter chooses. */
  readonly model?: string | undefined;
  /** Most results of one search, 1 to 10. Default 5. */
  readonly maxResults?: number | undefined;
  /**
   * Most searches of one request, 1 to 20, each of which is billed. It holds for OpenRouter's own engines and for Anthropic's search; other vendors' searches ignore it
   * (SDK 1.3.19). Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** Most tokens of the output, thoughts included, 1,024 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const MODEL = 'an id of a model such as "openai/gpt-6-luna"';
const RESULTS = 'a whole number from 1 to 10';
const SEARCHES = 'a whole number from 1 to 20';
const OUTPUT_TOKENS = 'a whole number from 1024 to 65536';

const openrouterSettings = z.strictObject({
  ...commonSettings('https://openrouter.ai/api/v1', OPENROUTER_MODELS),
  model: z
    .string(MODEL)
    .regex(/^[\w~.-]+\/[\w.:-]+$/, MODEL)
    .default('openrouter/auto'),
  maxResults: z.int(RESULTS).min(1, RESULTS).max(10, RESULTS).default(5),
  maxSearches: z.int(SEARCHES).min(1, SEARCHES).max(20, SEARCHES).default(3),
  maxOutputTokens: z.int(OUTPUT_TOKENS).min(1_024, OUTPUT_TOKENS).max(65_536, OUTPUT_TOKENS).default(8_192),
});

/**
 * OpenRouter (openrouter.ai), by its chat completions with the server tool `openrouter:web_search`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function openrouter(settings: OpenrouterSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(openrouterSettings, settings, 'openrouter');
  const answer = openrouterAnswer(connection, options);
  return { id: 'openrouter', name: 'OpenRouter', models, limits, answer };
}
