import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { atCreditPrice, creditPrice } from '../../provider-kit/credit-price.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import { googleDates } from '../../provider-kit/google-dates.js';
import type { Connection, Provider, ProviderSettings, SearchPort } from '../../provider-kit/provider.js';
import { queryEndpoint } from '../../provider-kit/query-endpoint.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import rows from './models.json' with { type: 'json' };
import { SERPAPI, serpapiAnswer } from './serpapi-answer.js';

const found = looseList(z.object(textFields('title', 'link', 'snippet', 'date')));
const head = { search_metadata: optional.object({ id: optional.text }) };
const reply = z.union([z.object({ ...head, organic_results: found }), z.object({ ...head, news_results: found })]);

/**
 * Asks `GET /search.json` for a page of Google, which has about ten results: Google dropped its parameter `num` (serpapi.com/blog, 2025-09-16). A search that
 * found nothing is an error in words, and counts like any other (serpapi.com/search-errors, read 2026-11-26).
 *
 * @param defaults as of `serpapiAnswer`.
 */
function serpapiSearchPort(connection: Connection, defaults: Readonly<Record<string, string>>): SearchPort['search'] {
  const ask = queryEndpoint(connection, { ...SERPAPI, reply, completeness: 'valid JSON' });
  return async ({ query, search }, context) => {
    const parameters = { engine: 'google', q: query, ...defaults, ...(search && googleSearch(search)) };
    try {
      const { body } = await ask(parameters, context);
      const pages = 'news_results' in body ? body.news_results : body.organic_results;
      const results = pages.map(({ link, ...page }) => ({ url: link, ...page }));
      return { results, cost: {}, upstreamRequestId: body.search_metadata?.id };
    } catch (error) {
      if (isUpstreamError(error) && error.reason === 'no_answer_found') return { results: [], cost: {} };
      throw error;
    }
  };
}

function googleSearch(search: AskedSearch): Record<string, string> {
  const { includeDomains, excludeDomains, country, language, topic } = search;
  return definedFields({
    tbm: topic && 'nws',
    as_sitesearch: (includeDomains ?? excludeDomains)?.[0],
    as_dt: excludeDomains && 'e',
    tbs: googleDates(search),
    gl: country?.toLowerCase(),
    lr: language && `lang_${language}`,
  });
}

/** USD per search on the plan of 5,000 a month for 75 dollars; others cost 0.009 to 0.025. */
const LIST_PRICE_OF_SEARCH = '0.015';

/** The settings of `serpapi()`. */
export interface SerpapiSettings extends ProviderSettings {
  /**
   * The price that the account pays for a search, in USD as a decimal string: the price of the plan divided by its searches. SerpApi reports no cost, so the
   * cost of a call is this price. Default `"0.015"`, the plan of 5,000 searches for 75 dollars (2026-05-31, low confidence).
   */
  readonly usdPerSearch?: string | undefined;
  /** The country Google is asked from, as two lower-case letters (`"de"`). Default: SerpApi's choice. */
  readonly country?: string | undefined;
  /**
   * The language of answers, and the language in which Google shows results, by Google's code (`"de"`, `"pt-br"`). AI Mode does not know all languages.
   * Default: SerpApi's choice.
   */
  readonly language?: string | undefined;
  /** The place Google is asked from, preferably a city with its country (`"Austin, Texas, United States"`). Default: SerpApi's choice. */
  readonly location?: string | undefined;
  /**
   * Allows SerpApi to repeat a reply that it fetched within the hour, which is free for the operator. Callers are still charged, because a reply does not
   * tell that it is repeated. Default `true`, as at SerpApi.
   */
  readonly cache?: boolean | undefined;
}

const LOCATION = 'the name of a place';

/**
 * SerpApi (serpapi.com), by its APIs of Google's AI Mode and of Google Search. How many searches an hour it allows depends on the plan.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const serpapi: (settings: SerpapiSettings) => Provider = defineProvider({
  id: 'serpapi',
  name: 'SerpApi',
  baseUrl: 'https://serpapi.com',
  models: rows,
  settings: {
    usdPerSearch: creditPrice(LIST_PRICE_OF_SEARCH),
    country: textLike(/^[a-z]{2}$/, 'a country code of two lower-case letters, such as "de"').optional(),
    language: textLike(/^[a-z]{2,3}(?:-[a-z\d]{2,5})?$/, 'a language code such as "de" or "pt-br"').optional(),
    location: z.string(LOCATION).trim().min(1, LOCATION).optional(),
    cache: z.boolean('true or false').default(true),
  },
  adjust: (model, { usdPerSearch }) => atCreditPrice(model, { listed: LIST_PRICE_OF_SEARCH, paid: usdPerSearch }),
  ports(connection, { country, language, location, cache }) {
    const defaults = definedFields({ gl: country, hl: language, location, no_cache: cache ? undefined : 'true' });
    return { answer: serpapiAnswer(connection, defaults), search: serpapiSearchPort(connection, defaults) };
  },
});
