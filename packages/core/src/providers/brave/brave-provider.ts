import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { braveAnswer } from './brave-answer.js';
import { BRAVE_MODELS } from './brave-models.js';

export interface BraveSettings extends ProviderSettings {
  /** Where the search is made: two capital letters, or `ALL`. Brave's default (2026-11-20): `US`. */
  readonly country?: string | undefined;
  /** The language of search and answer, such as `de` or `pt-br`; in others than English answers often have no citations. Brave's default: `en`. */
  readonly language?: string | undefined;
  /** What the search leaves out. Brave's default: `moderate`. */
  readonly safesearch?: 'off' | 'moderate' | 'strict' | undefined;
  /** How much of what was found the model reads, which is what a call mostly costs. Default: Brave's own choice. */
  readonly searchContextSize?: 'low' | 'medium' | 'high' | undefined;
}

const COUNTRY = 'a country code of two capital letters, or "ALL"';
const LANGUAGE = 'a language code in lower case, such as "de" or "pt-br"';

const braveSettings = z.strictObject({
  ...commonSettings('https://api.search.brave.com', BRAVE_MODELS),
  country: z
    .string(COUNTRY)
    .regex(/^(?:[A-Z]{2}|ALL)$/, COUNTRY)
    .optional(),
  language: z
    .string(LANGUAGE)
    .regex(/^[a-z]{2,3}(?:-[a-z]{2,4})?$/, LANGUAGE)
    .optional(),
  safesearch: z.enum(['off', 'moderate', 'strict'], 'off, moderate or strict').optional(),
  searchContextSize: z.enum(['low', 'medium', 'high'], 'low, medium or high').optional(),
});

/**
 * Brave Search (brave.com/search/api). The key has to be one of the plan Answers, which allows two requests a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function brave(settings: BraveSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(braveSettings, settings, 'brave');
  const { country, language, safesearch, searchContextSize } = options;
  // What is not set is not sent: JSON leaves it out.
  const webSearch = searchContextSize && { search_context_size: searchContextSize };
  const search = { country, language, safesearch, web_search_options: webSearch };
  return { id: 'brave', name: 'Brave Search', models, limits, answer: braveAnswer(connection, search) };
}
