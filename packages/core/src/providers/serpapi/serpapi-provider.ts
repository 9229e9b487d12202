import { z } from 'zod';
import type { AnswerModel } from '../../catalog/model-entry.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { serpapiAnswer } from './serpapi-answer.js';
import { SERPAPI_OPTIONS } from './serpapi-search.js';

/** USD per search on the plan of 5,000 a month for 75 dollars; others cost 0.009 to 0.025. */
const LIST_PRICE_OF_SEARCH = '0.015';

/** SerpApi's answer model; `serpapi/google` is a search model. */
const SERPAPI_MODELS: readonly AnswerModel[] = [
  {
    slug: 'serpapi/google-ai-mode',
    name: 'SerpApi Google AI Mode',
    description: 'The answer Google’s AI Mode shows to a visitor, with the pages it names as its sources.',
    prices: [
      {
        kind: 'flat',
        request: LIST_PRICE_OF_SEARCH,
        source: 'https://hivebook.wiki/wiki/serpapi-google-bing-100-serp-api-for-ai-agents',
        asOf: '2026-05-31',
        confidence: 'low',
        notes:
          'One search of a monthly plan; what it costs depends on the plan. Cached replies are free, but do not say that they are cached.',
      },
    ],
    features: ['citations'],
    options: SERPAPI_OPTIONS,
    contextLength: null,
    // 5 to 20 s; 6.6 s in a recorded reply (2026-09-27).
    timeoutMs: 60_000,
  },
];

/** A model at another price per search. */
function atSearchPrice(model: AnswerModel, usdPerSearch: string): AnswerModel {
  return { ...model, prices: model.prices.map((price) => ({ ...price, kind: 'flat', request: usdPerSearch })) };
}

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
