import { z } from 'zod';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Provider } from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { optionalList, optionalNumber, optionalText } from '../../provider-kit/reply-fields.js';
import { textLike } from '../../provider-kit/setting-schemas.js';
import { atCreditPrice, LIST_PRICE_OF_CREDIT, TAVILY_MODELS, tavilySearch, tierOf } from './tavily-models.js';

/** Where Tavily differs from the common meaning of statuses (its SDKs and public logs, read 2026-11-20). */
const TAVILY_ERRORS: ErrorTable = [
  // Statuses that only Tavily has: the limit of the plan or key is reached (432), or the limit of pay as you go (433).
  { status: [432, 433], reason: 'upstream_quota_exhausted' },
  { status: 400, message: /query is too long|max query length/i, reason: 'query_rejected' },
];

interface TavilyOptions {
  readonly usdPerCredit: string;
  readonly maxQueryCharacters: number;
  /** Fields of every request, by Tavily's names. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const searchReply = z.object({
  request_id: optionalText,
  /** `null` or empty if the model wrote nothing. Tavily bills the search anyway. */
  answer: optionalText,
  results: optionalList(z.object({ url: optionalText, title: optionalText, content: optionalText })),
  usage: z.object({ credits: optionalNumber }).nullish().catch(null),
});

/** Asks `POST /search` for an answer and results (as documented 2026-11-20). Tavily always searches. */
function tavilyAnswer(connection: Connection, options: TavilyOptions): AnswerAdapter {
  const { usdPerCredit, maxQueryCharacters, defaults } = options;
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: bearer,
    errors: TAVILY_ERRORS,
    reply: searchReply,
    evidence: 'closed object',
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
  /** The topic of the search. Default `general`. */
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
    ...commonSettings('https://api.tavily.com', TAVILY_MODELS),
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
  const { models, limits, connection, options } = parseProviderSettings(tavilySettings, settings, 'tavily');
  const { usdPerCredit, maxResults, topic, country, maxQueryCharacters } = options;
  const defaults = { max_results: maxResults, topic, ...(country === undefined ? {} : { country }) };
  return {
    id: 'tavily',
    name: 'Tavily',
    models: models.map((model) => atCreditPrice(model, usdPerCredit)),
    limits,
    answer: tavilyAnswer(connection, { usdPerCredit, maxQueryCharacters, defaults }),
  };
}
