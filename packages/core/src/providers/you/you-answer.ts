import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { optionalList, optionalText, optionalTexts } from '../../provider-kit/reply-fields.js';
import { YOU_ERRORS } from './you-errors.js';
import { youAnswerSearch } from './you-search.js';

export interface AnswerOptions {
  readonly maxQueryCharacters: number;
  /** Fields of every request, by You.com's names; only those that are set, for unknown ones are refused. What the caller asks comes before them. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const page = z.object({
  url: optionalText,
  title: optionalText,
  description: optionalText,
  snippets: optionalTexts,
});

const answerReply = z.object({
  answer: z.string(),
  citations: optionalList(z.object({ source: optionalText, excerpts: optionalTexts })),
  /** What was considered; only `citations` were used. */
  results: z
    .object({ web: optionalList(page) })
    .nullish()
    .catch(null),
});

/**
 * Asks `POST /v1/answer` (as documented 2026-11-20). It makes one search before it answers, so a reply without citations found nothing to
 * cite, and still is an answer. Markers count the citations, sometimes beyond their end.
 */
export function youAnswer(connection: Connection, { maxQueryCharacters, defaults }: AnswerOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/answer',
    authorize: keyHeader('x-api-key'),
    errors: YOU_ERRORS,
    reply: answerReply,
    evidence: 'closed object',
  });
  return {
    async answer({ query, search }, context) {
      assertQueryFits(query, maxQueryCharacters);
      const { body } = await ask({ query, ...defaults, ...(search && youAnswerSearch(search)) }, context);
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

/** What two spellings of a page's address have in common. */
function addressOf(url: string | null | undefined): string {
  const [address = ''] = (url ?? '').replace(/^https?:\/\/(?:www\.)?/i, '').split('#', 1);
  return address.endsWith('/') ? address.slice(0, -1) : address;
}
