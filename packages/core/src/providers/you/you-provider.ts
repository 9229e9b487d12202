import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { youAnswer } from './you-answer.js';
import { ANSWER, YOU_MODELS } from './you-models.js';
import { YOU_COUNTRIES, YOU_LANGUAGES } from './you-places.js';
import { youResearch } from './you-research.js';

export interface YouSettings extends ProviderSettings {
  /** Where `you/answer` searches from, one of You.com's 36 upper-case country codes (`"DE"`). Default: none. */
  readonly country?: string | undefined;
  /** The language of the pages `you/answer` searches, one of You.com's upper-case tags (`"EN"`, `"EN-GB"`); not of its text. Default: none. */
  readonly language?: string | undefined;
  /** What `you/answer` leaves out of its search. Default: You.com's, which is `moderate`. */
  readonly safesearch?: 'off' | 'moderate' | 'strict' | undefined;
  /**
   * The longest query that `you/answer` sends; a longer one is refused at once. You.com's own limit is 400 characters by its guide
   * and SDK (2026-08-17, medium confidence: its OpenAPI document has none), which is the default.
   */
  readonly maxQueryCharacters?: number | undefined;
}

const COUNTRY = `one of ${YOU_COUNTRIES.join(', ')}`;
const LANGUAGE = `one of ${YOU_LANGUAGES.join(', ')}`;

const youSettings = z.strictObject({
  ...commonSettings('https://api.you.com', YOU_MODELS),
  country: z.enum(YOU_COUNTRIES, COUNTRY).optional(),
  language: z.enum(YOU_LANGUAGES, LANGUAGE).optional(),
  safesearch: z.enum(['off', 'moderate', 'strict'], 'off, moderate or strict').optional(),
  maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
});

/**
 * You.com (you.com). Its rate limit is 10 requests a second at the time of writing. Keys are bound to products: one without the scope of
 * a model gets `upstream_auth_failed`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function you(settings: YouSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(youSettings, settings, 'you');
  const { maxQueryCharacters, country, language, safesearch } = options;
  const wanted = Object.entries({ country, language, safesearch }).filter(([, value]) => value !== undefined);
  const plain = youAnswer(connection, { maxQueryCharacters, defaults: Object.fromEntries(wanted) });
  const research = youResearch(connection);
  return {
    id: 'you',
    name: 'You.com',
    models,
    limits,
    answer: { answer: (call, context) => (call.model.slug === ANSWER ? plain : research).answer(call, context) },
  };
}
