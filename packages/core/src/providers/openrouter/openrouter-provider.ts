import { defineProvider } from '../../provider-kit/define-provider.js';
import type { Provider } from '../../provider-kit/provider.js';
import type { ProviderSettings } from '../../provider-kit/provider-settings.js';
import { textLike, wholeNumber } from '../../provider-kit/setting-schemas.js';
import rows from './models.json' with { type: 'json' };
import { openrouterAnswer } from './openrouter-answer.js';
import { openrouterEmbedPort, openrouterRerankPort } from './openrouter-retrieval.js';

/** The settings of `openrouter()`. */
export interface OpenrouterSettings extends ProviderSettings {
  /** OpenRouter's id of the model that answers, such as `openai/gpt-6-luna`. Default `openrouter/auto`: OpenRouter chooses the model. */
  readonly model?: string | undefined;
  /** Most results of one search, 1 to 10. Default 5. */
  readonly maxResults?: number | undefined;
  /**
   * Most searches of one request, 1 to 20. Each search is billed. OpenRouter's engines and Anthropic's search follow the limit; the searches of other vendors
   * ignore it (SDK 1.3.19). Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** Most tokens of the output, thoughts included, 1,024 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

/**
 * OpenRouter (openrouter.ai), by its chat completions with the server tool `openrouter:web_search`, its reranks and its embeddings.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const openrouter: (settings: OpenrouterSettings) => Provider = defineProvider({
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  models: rows,
  settings: {
    model: textLike(/^[\w~.-]+\/[\w.:-]+$/, 'an id of a model such as "openai/gpt-6-luna"').default('openrouter/auto'),
    maxResults: wholeNumber(1, 10).default(5),
    maxSearches: wholeNumber(1, 20).default(3),
    maxOutputTokens: wholeNumber(1_024, 65_536).default(8_192),
  },
  ports: (connection, options) => ({
    answer: openrouterAnswer(connection, options),
    rerank: openrouterRerankPort(connection),
    embed: { maxInputs: 256, embed: openrouterEmbedPort(connection) },
  }),
});
