import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { ConfigurationError } from '../../base/errors/configuration-error.js';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { atCreditPrice, creditCost, creditPrice } from '../../provider-kit/credit-price.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import rows from './models.json' with { type: 'json' };
import { TAVILY, type TavilyOptions, tavilyExtractPort, tavilySearch, tavilySearchPort } from './tavily-ports.js';

/** USD per credit, pay as you go; plans sell credits at 0.005 to 0.0075. */
const LIST_PRICE_OF_CREDIT = '0.008';

/** How a model searches and writes. */
interface Tier {
  readonly depth: string;
  readonly answer: 'basic' | 'advanced';
}

const BASIC: Tier = { depth: 'basic', answer: 'basic' };
const TIERS: ReadonlyMap<string, Tier> = new Map([
  ['tavily/answer-fast', { ...BASIC, depth: 'fast' }],
  ['tavily/answer-ultra-fast', { ...BASIC, depth: 'ultra-fast' }],
  ['tavily/answer-advanced', { depth: 'advanced', answer: 'advanced' }],
]);

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
  const ask = jsonEndpoint(connection, { ...TAVILY, path: '/search', reply: searchReply, completeness: 'valid JSON' });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, maxQueryCharacters);
      const { depth, answer } = TIERS.get(model.slug) ?? BASIC;
      const tier = { search_depth: depth, include_answer: answer };
      const fields = search === undefined ? defaults : { ...defaults, ...tavilySearch(search) };
      const { body, failure } = await ask({ query, ...tier, ...fields, include_usage: true }, context);
      const cost = creditCost(body.usage?.credits, usdPerCredit);
      const text = body.answer?.trim() ?? '';
      if (text === '') throw failure({ cost: cost.reported });
      // The text has no citation markers and is written from all results, so all results are sources.
      const sources = body.results.map(({ url, title, content }) => ({ url, title, snippet: content }));
      return composeAnswer({ text, sources, cost, upstreamRequestId: body.request_id });
    },
  };
}

/** The settings of `tavily()`. */
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

/**
 * Tavily (tavily.com). Its rate limits hold per key: 100 requests a minute for development, 1,000 in production at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const tavily: (settings: TavilySettings) => Provider = defineProvider({
  id: 'tavily',
  name: 'Tavily',
  baseUrl: 'https://api.tavily.com',
  models: rows,
  byName: ['search'],
  settings: {
    usdPerCredit: creditPrice(LIST_PRICE_OF_CREDIT),
    maxResults: z.int('a whole number').min(1, 'at least 1').max(20, 'at most 20').default(5),
    topic: z.enum(['general', 'news', 'finance'], 'general, news or finance').default('general'),
    country: textLike(
      /^[a-z]+(?: [a-z]+)*$/,
      'the English name of a country in lower case, such as "germany"',
    ).optional(),
    maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
  },
  adjust: (model, { usdPerCredit }) => atCreditPrice(model, { listed: LIST_PRICE_OF_CREDIT, paid: usdPerCredit }),
  ports(connection, { topic, country, maxResults, ...shared }) {
    if (country !== undefined && topic !== 'general') {
      const expected = 'no country beside a topic other than general';
      throw new ConfigurationError([{ path: 'tavily.country', found: JSON.stringify(country), expected }]);
    }
    const defaults = definedFields<unknown>({ topic, country });
    return {
      answer: tavilyAnswer(connection, { ...shared, defaults: { max_results: maxResults, ...defaults } }),
      search: tavilySearchPort(connection, { ...shared, defaults }),
      extract: { maxUrls: 20, extract: tavilyExtractPort(connection) },
    };
  },
});
