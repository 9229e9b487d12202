import { z } from 'zod';
import type { ModelRow } from '../../catalog/model-entry.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Provider } from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { readModels } from '../../provider-kit/read-models.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import rows from './models.json' with { type: 'json' };
import {
  atCreditPrice,
  LIST_PRICE_OF_CREDIT,
  TAVILY_ERRORS,
  type TavilyOptions,
  tavilySearch,
  tierOf,
} from './tavily-models.js';
import { tavilyExtractPort, tavilySearchPort } from './tavily-ports.js';

const searchReply = z.object({
  request_id: optional.text,
  /** `null` or empty if the model wrote nothing. Tavily bills the search anyway. */
  answer: optional.text,
  results: optional.list(z.object(textFields('url', 'title', 'content'))),
  usage: optional.object({ credits: optional.number }),
});

/** Asks `POST /search` for an answer and results (as documented 2026-11-20). Tavily always searches. */
function tavilyAnswer(connection: Connection, options: TavilyOptions): AnswerAdapter {
  const { usdPerCredit, maxQueryCharacters, defaults } = options;
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: bearer,
    errors: TAVILY_ERRORS,
    reply: searchReply,
    completeness: 'valid JSON',
  });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, maxQueryCharacters);
      const { depth, answer } = tierOf(model);
      const tier = { search_depth: depth, include_answer: answer };
      const fields = search === undefined ? defaults : { ...defaults, ...tavilySearch(search) };
      const { body, failure } = await ask({ query, ...tier, ...fields, include_usage: true }, context);
      const cost = outcomeCost((body.usage?.credits ?? Number.NaN) * Number(usdPerCredit));
      const text = body.answer?.trim() ?? '';
      if (text === '') throw failure({ cost: cost.reported });
      // The text has no citation markers and is written from all results, so all results are sources.
      const sources = body.results.map(({ url, title, content }) => ({ url, title, snippet: content }));
      return composeAnswer({ text, sources, cost, upstreamRequestId: body.request_id });
    },
  };
}

export interface TavilySettings extends ProviderSettings {
  /**
   * The price that the account pays for a credit, in USD as a decimal string. Tavily reports only credits; the price turns credits into the cost of a
   * call and the listed price. Default `"0.008"`, the price without a plan; plans sell credits at 0.005 to 0.0075 (2026-11-20).
   */
  readonly usdPerCredit?: string | undefined;
  /** The number of results that an answer is written from and cites, 1 to 20. Changes no price. Default 5. */
  readonly maxResults?: number | undefined;
  /** The topic of answers and searches. Default `general`. */
  readonly topic?: 'general' | 'news' | 'finance' | undefined;
  /** Prefers results from a country, by its English name in lower case (`"germany"`); only for the topic `general`. Default: none. */
  readonly country?: string | undefined;
  /**
   * The longest query, in characters. A longer query is refused at once. Default 400: Tavily's limit (seen in its error replies, 2026-11-20).
   */
  readonly maxQueryCharacters?: number | undefined;
}

const tavilySettings = z
  .strictObject({
    ...commonSettings('https://api.tavily.com', readModels('tavily', rows)),
    usdPerCredit: textLike(
      /^(?=.*[1-9])\d(?:\.\d{1,9})?$/,
      'a decimal string of US dollars above 0 with at most 9 decimals, such as "0.008"',
    ).default(LIST_PRICE_OF_CREDIT),
    maxResults: z.int('a whole number').min(1, 'at least 1').max(20, 'at most 20').default(5),
    topic: z.enum(['general', 'news', 'finance'], 'general, news or finance').default('general'),
    country: textLike(
      /^[a-z]+(?: [a-z]+)*$/,
      'the English name of a country in lower case, such as "germany"',
    ).optional(),
    maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
  })
  .refine(({ topic, country }) => country === undefined || topic === 'general', {
    path: ['country'],
    message: 'no country beside a topic other than general',
  });

/**
 * Tavily (tavily.com). Its rate limits hold per key: 100 requests a minute for development, 1,000 in production at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function tavily(settings: TavilySettings): Provider {
  const { models, searchModels, extractModels, ...parsed } = parseProviderSettings(tavilySettings, settings, 'tavily');
  const { common, connection, options } = parsed;
  const { usdPerCredit, maxResults, topic, country, maxQueryCharacters } = options;
  const defaults = definedFields<unknown>({ topic, country });
  const atPrice = (listed: readonly ModelRow[]) => listed.map((model) => atCreditPrice(model, usdPerCredit));
  const shared = { usdPerCredit, maxQueryCharacters };
  return {
    id: 'tavily',
    name: 'Tavily',
    models: atPrice(models),
    ...common,
    answer: tavilyAnswer(connection, { ...shared, defaults: { max_results: maxResults, ...defaults } }),
    search: { models: atPrice(searchModels), search: tavilySearchPort(connection, { ...shared, defaults }) },
    extract: { models: atPrice(extractModels), maxUrls: 20, extract: tavilyExtractPort(connection) },
  };
}
