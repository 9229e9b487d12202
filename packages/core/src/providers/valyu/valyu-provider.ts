import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { formatUsd, type NanoUsd, parseUsd } from '../../base/money.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { withPrices } from '../../provider-kit/credit-price.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import { finishOfWord } from '../../provider-kit/finish-words.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { SEARCH_COUNTRIES } from '../../provider-kit/search-lists.js';
import rows from './models.json' with { type: 'json' };
import { atSearchType, VALYU, valyuExtractPort, valyuSearch, valyuSearchPort } from './valyu-ports.js';
import { allSources, pageList, reduceValyuStream } from './valyu-stream.js';

/** The default limit on the search data of a call, in USD. Valyu's default of 1 USD would let an answer buy nearly any data. */
const DATA_MAX_PRICE = '0.1';

/** The most that a call is expected to cost without its search data. */
const MAX_WRITING: NanoUsd = parseUsd('0.15');

/** The model with another limit on search data: the ceiling of the price follows the limit. */
function withDataMaxPrice(model: ModelRow, dataMaxPrice: string): ModelRow {
  const ceiling = formatUsd(MAX_WRITING + parseUsd(dataMaxPrice));
  return withPrices(model, { dynamic: (row) => ({ ...row, ceiling }) });
}

const answerReply = z.object({
  success: z.boolean(),
  /** Only if the chunks of the text have a finish reason. */
  ...textFields('finish_reason', 'tx_id', 'contents'),
  search_results: pageList,
  earlier_results: pageList,
  search_metadata: optional.object({ tx_ids: optional.texts }),
  cost: optional.object({ total_deduction_dollars: optional.amount }),
});

/**
 * Asks `POST /v1/answer` (OpenAPI document 2.2.0 and SDKs, read 2026-11-20). Valyu always streams.
 *
 * @param defaults fields of every request, by Valyu's names. The caller's search options replace them.
 */
function valyuAnswer(connection: Connection, defaults: object): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    ...VALYU,
    path: '/v1/answer',
    reply: answerReply,
    completeness: ({ success, finish_reason }) => {
      if (!success) return 'failed';
      return finish_reason ? finishOfWord(finish_reason) : 'complete';
    },
    reduce: reduceValyuStream,
    // Results may still come while the text is streamed, so the meaning of citation markers is known only at the end.
    numbersAreLate: true,
    request({ model, query, search }) {
      const mode = model.slug === 'valyu/answer-fast' ? { fast_mode: true } : {};
      return { query, ...defaults, ...mode, ...(search && valyuSearch(search)) };
    },
    outcome({ body, finish, failure }) {
      const { tx_id, contents, search_results, search_metadata, cost: paid } = body;
      const cost = outcomeCost(paid?.total_deduction_dollars);
      const found = search_results ?? [];
      assertComplete({ finish, failure }, cost);
      // The model decides whether to search. Each search is a transaction (low confidence: inferred from the name of the field).
      assertSearched(found.length > 0 || (search_metadata?.tx_ids ?? []).length > 0, failure, cost);
      const sources = allSources(body.earlier_results, search_results);
      return composeAnswer({ text: contents ?? '', sources, cost, upstreamRequestId: tx_id });
    },
  });
}

/** The settings of `valyu()`. */
export interface ValyuSettings extends ProviderSettings {
  /**
   * The sources of answers and searches: the web, licensed sources (`proprietary`), both (`all`) or news. Valyu's default is `all`, whose results cost up to
   * 33 times as much (docs.valyu.ai/pricing, 2026-11-20). Default `web`.
   */
  readonly searchType?: 'web' | 'all' | 'proprietary' | 'news' | undefined;
  /** The most that an answer may spend on search data, in USD as a decimal string, in addition to the cost of the model. Default `"0.1"`; Valyu's default is 1. */
  readonly dataMaxPrice?: string | undefined;
  /** The country that the search is made from: one of Valyu's 36 countries as two capital letters, or `ALL`. Default: no country is sent. */
  readonly country?: string | undefined;
}

const COUNTRIES = ['ALL', ...SEARCH_COUNTRIES];

/**
 * Valyu (valyu.ai).
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const valyu: (settings: ValyuSettings) => Provider = defineProvider({
  id: 'valyu',
  name: 'Valyu',
  baseUrl: 'https://api.valyu.ai',
  models: rows,
  settings: {
    searchType: z.enum(['web', 'all', 'proprietary', 'news'], 'one of web, all, proprietary, news').default('web'),
    dataMaxPrice: textLike(
      /^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/,
      'a decimal string of US dollars above 0, such as "0.1"',
    ).default(DATA_MAX_PRICE),
    country: z.enum(COUNTRIES, `one of ${COUNTRIES.join(', ')}`).optional(),
  },
  adjust(model, { searchType, dataMaxPrice }, port) {
    return port === 'answer' ? withDataMaxPrice(model, dataMaxPrice) : atSearchType(model, searchType);
  },
  ports(connection, { searchType, dataMaxPrice, country }) {
    const sources = definedFields({ search_type: searchType, country_code: country });
    return {
      answer: valyuAnswer(connection, { ...sources, data_max_price: Number(dataMaxPrice) }),
      search: valyuSearchPort(connection, sources),
      extract: { maxUrls: 10, extract: valyuExtractPort(connection) },
    };
  },
});
