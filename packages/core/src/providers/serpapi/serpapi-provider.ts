import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { serpapiAnswer } from './serpapi-answer.js';
import { atSearchPrice, LIST_PRICE_OF_SEARCH, SERPAPI_MODELS } from './serpapi-models.js';

export interface SerpapiSettings extends ProviderSettings {
  /**
   * What the account pays for a search, in USD as a decimal string: the price of its plan by the number of searches. SerpApi reports no cost, so this is what
   * an answer costs. Default `"0.015"`, the plan of 5,000 searches for 75 dollars (2026-05-31, low confidence).
   */
  readonly usdPerSearch?: string | undefined;
  /** The country Google is asked from, as two lower-case letters (`"de"`). Default: SerpApi's choice. */
  readonly country?: string | undefined;
  /** The language of the answer, by Google's code (`"de"`, `"pt-br"`). AI Mode does not know all languages. Default: SerpApi's choice. */
  readonly language?: string | undefined;
  /** The place Google is asked from, best a city with its country (`"Austin, Texas, United States"`). Default: SerpApi's choice. */
  readonly location?: string | undefined;
  /**
   * Allows SerpApi to give a reply again that it fetched within the hour, which costs you nothing. Callers are still charged, since a reply does not
   * say that it is an old one. Default `true`, as at SerpApi.
   */
  readonly cache?: boolean | undefined;
}

const USD = 'a decimal string of US dollars above 0 with at most 9 decimals, such as "0.015"';
const COUNTRY = 'a country code of two lower-case letters, such as "de"';
const LANGUAGE = 'a language code such as "de" or "pt-br"';
const LOCATION = 'the name of a place';

const serpapiSettings = z.strictObject({
  ...commonSettings('https://serpapi.com', SERPAPI_MODELS),
  usdPerSearch: z
    .string(USD)
    .regex(/^(?=.*[1-9])\d(?:\.\d{1,9})?$/, USD)
    .default(LIST_PRICE_OF_SEARCH),
  country: z
    .string(COUNTRY)
    .regex(/^[a-z]{2}$/, COUNTRY)
    .optional(),
  language: z
    .string(LANGUAGE)
    .regex(/^[a-z]{2,3}(?:-[a-z\d]{2,5})?$/, LANGUAGE)
    .optional(),
  location: z.string(LOCATION).trim().min(1, LOCATION).optional(),
  cache: z.boolean('true or false').default(true),
});

/**
 * SerpApi (serpapi.com), by its Google AI Mode API. How many searches an hour it allows depends on the plan.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function serpapi(settings: SerpapiSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(serpapiSettings, settings, 'serpapi');
  const { usdPerSearch, country, language, location, cache } = options;
  const search = {
    ...(country === undefined ? {} : { gl: country }),
    ...(language === undefined ? {} : { hl: language }),
    ...(location === undefined ? {} : { location }),
    ...(cache ? {} : { no_cache: 'true' }),
  };
  return {
    id: 'serpapi',
    name: 'SerpApi',
    models: models.map((model) => atSearchPrice(model, usdPerSearch)),
    limits,
    answer: serpapiAnswer(connection, search),
  };
}
