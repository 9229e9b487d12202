import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { assertQueryFits } from '../../provider-kit/call-fields.js';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { atHost } from '../../provider-kit/provider-settings.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { SEARCH_COUNTRIES, SEARCH_LANGUAGES } from '../../provider-kit/search-lists.js';
import rows from './models.json' with { type: 'json' };
import { YOU, youExtractPort, youResearchSearch, youSearch, youSearchPort } from './you-ports.js';

/** The longest `input` (you.com/docs, read 2026-11-20). */
const MAX_INPUT_CHARACTERS = 40_000;

const researchReply = z.object({
  output: z.object({
    content: z.string(),
    sources: optional.list(z.object({ url: optional.text, title: optional.text, snippets: optional.texts })),
  }),
});

/** Asks `POST /v1/research` and waits for the text (as documented 2026-11-20). */
function youResearch(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    ...YOU,
    path: '/v1/research',
    reply: researchReply,
    completeness: 'valid JSON',
  });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, MAX_INPUT_CHARACTERS);
      const effort = model.slug.replace('you/research-', '');
      const question = { input: query, research_effort: effort };
      const { body, failure } = await ask({ ...question, ...(search && youResearchSearch(search)) }, context);
      const { content, sources } = body.output;
      // You.com decides whether to search, and only sources prove a search.
      if (!sources.some(({ url }) => url)) throw failure({ detail: 'the answer is not based on a search' });
      return composeAnswer({
        text: content,
        sources: sources.map(({ url, title, snippets }) => ({ url, title, snippet: snippets?.[0] })),
        cost: {},
      });
    },
  };
}

/** You.com's Answer API. */
const ANSWER = 'you/answer';

interface AnswerOptions {
  readonly maxQueryCharacters: number;
  /** Fields of every request, by You.com's names. The caller's search options replace them. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const page = z.object({
  ...textFields('url', 'title', 'description'),
  snippets: optional.texts,
});

const answerReply = z.object({
  answer: z.string(),
  citations: optional.list(z.object({ source: optional.text, excerpts: optional.texts })),
  /** The pages that were considered; the text uses only `citations`. */
  results: optional.object({ web: optional.list(page) }),
});

/**
 * Asks `POST /v1/answer` (as documented 2026-11-20). You.com makes one search before it answers, so a reply without citations is an answer too: the search
 * found nothing to cite. Citation markers count the citations, sometimes beyond their end.
 */
function youAnswer(connection: Connection, { maxQueryCharacters, defaults }: AnswerOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, { ...YOU, path: '/v1/answer', reply: answerReply, completeness: 'valid JSON' });
  return {
    async answer({ query, search }, context) {
      assertQueryFits(query, maxQueryCharacters);
      const { body } = await ask({ query, ...defaults, ...(search && youSearch(search)) }, context);
      const pages = new Map(body.results?.web.map((result) => [addressOf(result.url), result]));
      const sources = body.citations.map(({ source, excerpts }) => {
        const found = pages.get(addressOf(source));
        const quoted = excerpts?.join(' … ') || found?.snippets?.[0] || found?.description;
        return { url: source, title: found?.title, snippet: quoted };
      });
      return composeAnswer({ text: body.answer, sources, cost: {} });
    },
  };
}

/** The address of a page without scheme, `www.`, fragment and final slash, to compare two spellings. */
function addressOf(url: string | null | undefined): string {
  const [address = ''] = (url ?? '').replace(/^https?:\/\/(?:www\.)?/i, '').split('#', 1);
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/** The settings of `you()`. */
export interface YouSettings extends ProviderSettings {
  /** The country that `you/answer` and `you/search` search from, one of You.com's 36 upper-case country codes (`"DE"`). Default: no country. */
  readonly country?: string | undefined;
  /**
   * The language of the pages that `you/answer` and `you/search` search, one of You.com's upper-case tags (`"EN"`, `"EN-GB"`); not the language of the answer.
   * Default: no language.
   */
  readonly language?: string | undefined;
  /** The filter of `you/answer` and `you/search` for adult content. Default: You.com's default, `moderate`. */
  readonly safesearch?: 'off' | 'moderate' | 'strict' | undefined;
  /**
   * The longest query of `you/answer`, in characters. A longer query is refused at once. Default 400: the limit of You.com's guide and SDK (2026-08-17,
   * medium confidence: the OpenAPI document has no limit).
   */
  readonly maxQueryCharacters?: number | undefined;
}

const ANSWER_HOST = 'https://api.you.com';
/** Of searches and extracts. */
const INDEX_HOST = 'https://ydc-index.io';

const LANGUAGES = SEARCH_LANGUAGES.map((tag) => tag.toUpperCase());

/**
 * You.com (you.com). Its rate limit is 10 requests a second at the time of writing. Keys are bound to products: a key without the
 * scope of a model gets `upstream_auth_failed`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const you: (settings: YouSettings) => Provider = defineProvider({
  id: 'you',
  name: 'You.com',
  baseUrl: ANSWER_HOST,
  models: rows,
  settings: {
    country: z.enum(SEARCH_COUNTRIES, `one of ${SEARCH_COUNTRIES.join(', ')}`).optional(),
    language: z.enum(LANGUAGES, `one of ${LANGUAGES.join(', ')}`).optional(),
    safesearch: z.enum(['off', 'moderate', 'strict'], 'off, moderate or strict').optional(),
    maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
  },
  ports(connection, { maxQueryCharacters, ...given }) {
    const defaults = definedFields<unknown>(given);
    const plain = youAnswer(connection, { maxQueryCharacters, defaults });
    const research = youResearch(connection);
    const index = atHost(connection, ANSWER_HOST, INDEX_HOST);
    return {
      answer: { answer: (call, context) => (call.model.slug === ANSWER ? plain : research).answer(call, context) },
      search: youSearchPort(index, defaults),
      extract: youExtractPort(index),
    };
  },
});
