import { z } from 'zod';
import { ConfigurationError } from '../../base/errors/configuration-error.js';
import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import {
  assertComplete,
  assertSearched,
  composeAnswer,
  outcomeCost,
  type ReportedUsage,
} from '../../provider-kit/compose-answer.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { apiKeySetting } from '../../provider-kit/provider-settings.js';
import { BRAVE, braveSearchPort } from './brave-ports.js';
import { reduceBraveStream } from './brave-stream.js';
import { readTags, type TaggedText } from './brave-tags.js';
import rows from './models.json' with { type: 'json' };

/** The settings of `brave()`. */
export interface BraveSettings extends ProviderSettings {
  /** The key of the plan Search, for the search models: Brave issues a key per plan. Not with `apiKeys`. Default: `apiKey`. */
  readonly searchApiKey?: ProviderSettings['apiKey'] | undefined;
  /** The country that the search is made from: two capital letters, or `ALL`. Brave's default (2026-11-20): `US`. */
  readonly country?: string | undefined;
  /** The language of search and answer, such as `de` or `pt-br`. Answers in other languages than English often have no citations. Brave's default: `en`. */
  readonly language?: string | undefined;
  /** The filter for adult content. Brave's default: `moderate`. */
  readonly safesearch?: 'off' | 'moderate' | 'strict' | undefined;
  /** How much of the found pages the model reads: most of the cost of a call. Default: Brave's choice. */
  readonly searchContextSize?: 'low' | 'medium' | 'high' | undefined;
}

const ownSettings = {
  searchApiKey: apiKeySetting('BRAVE_API_KEY').optional(),
  country: textLike(/^(?:[A-Z]{2}|ALL)$/, 'a country code of two capital letters, or "ALL"').optional(),
  language: textLike(
    /^[a-z]{2,3}(?:-[a-z]{2,4})?$/,
    'a language code in lower case, such as "de" or "pt-br"',
  ).optional(),
  safesearch: z.enum(['off', 'moderate', 'strict'], 'off, moderate or strict').optional(),
  searchContextSize: z.enum(['low', 'medium', 'high'], 'low, medium or high').optional(),
};

/**
 * Brave Search (brave.com/search/api). The key must belong to the plan of the models: Answers, which allows two requests a second at the time of writing, or
 * Search. With keys of both plans, give the second as `searchApiKey`; with one, name its models in `models`. The own key of an
 * organization serves its plan alone.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const brave: (settings: BraveSettings) => Provider = defineProvider({
  id: 'brave',
  name: 'Brave Search',
  baseUrl: 'https://api.search.brave.com',
  models: rows,
  settings: ownSettings,
  ports(connection, { searchContextSize, searchApiKey = connection.apiKey, ...search }) {
    // A failure of the one would be taken for one of the others.
    if (connection.apiKeys !== undefined && searchApiKey !== connection.apiKey)
      throw new ConfigurationError([
        { path: 'brave.searchApiKey', found: 'a value beside apiKeys', expected: 'keys of one plan' },
      ]);
    // JSON leaves out the fields that are not set.
    const webSearch = searchContextSize && { search_context_size: searchContextSize };
    return {
      answer: braveAnswer(connection, { ...search, web_search_options: webSearch }),
      search: braveSearchPort({ ...connection, apiKey: searchApiKey }, search),
    };
  },
});

/**
 * Asks `POST /res/v1/chat/completions` (as documented 2026-04, captured 2026-10-03). Brave cites only in streams, and takes exactly one message.
 *
 * @param defaults fields of every request, by Brave's names. The caller's search options replace them.
 */
function braveAnswer(connection: Connection, defaults: object): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    ...BRAVE,
    path: '/res/v1/chat/completions',
    reply: chatCompletion,
    completeness: chatFinish,
    reduce: reduceBraveStream,
    request({ query, search }) {
      const fields = search?.country === undefined ? defaults : { ...defaults, country: search.country };
      const messages = [{ role: 'user', content: query }];
      return { model: 'brave', messages, stream: true, enable_citations: true, ...fields };
    },
    numbersAreWords: true,
    outcome({ body, finish, failure }) {
      const reply = readChatCompletion(body);
      const { text, marks, sources, usage } = readTags(reply.text);
      const cost = outcomeCost(usage['X-Request-Total-Cost'], billedUsage(usage, reply.usage));
      assertComplete({ finish, failure }, cost);
      // Every answer includes a search. Only a reply that reports 0 searches is not grounded: answers in other languages than English often have no
      // citations although Brave read pages (measured 2026-09).
      assertSearched(sources.length > 0 || usage['X-Request-Queries'] !== 0, failure, cost);
      return composeAnswer({ text, marks, sources, cost, upstreamRequestId: body.id, servedModel: body.model });
    },
  });
}

/** The usage for a reply without a total. Without a count, one search is billed, but never without tokens: the pages that a search reads cost far more. */
function billedUsage(reported: TaggedText['usage'], { inputTokens, outputTokens }: ReportedUsage): ReportedUsage {
  const tokensIn = reported['X-Request-Tokens-In'] ?? inputTokens;
  return {
    inputTokens: tokensIn,
    outputTokens: reported['X-Request-Tokens-Out'] ?? outputTokens,
    searches: typeof tokensIn === 'number' ? (reported['X-Request-Queries'] ?? 1) : undefined,
  };
}
