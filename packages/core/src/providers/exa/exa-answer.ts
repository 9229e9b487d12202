import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalAmount, optionalList, optionalText } from '../../provider-kit/reply-fields.js';
import { EXA_ERRORS } from './exa-errors.js';
import { exaSearch } from './exa-search.js';

const answerReply = z.object({
  requestId: optionalText,
  answer: z.string(),
  citations: optionalList(z.object({ id: optionalText, url: optionalText, title: optionalText, text: optionalText })),
  costDollars: z.object({ total: optionalAmount }).nullish().catch(null),
});

/**
 * Asks `POST /answer` (as seen 2026-08-27, documented 2026-11-20). Exa always searches before it answers, so a reply without citations found
 * nothing worth citing, and still is an answer.
 *
 * @param snippets asks for the text of every cited page, of which the beginning becomes the snippet.
 */
export function exaAnswer(connection: Connection, snippets: boolean): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/answer',
    authorize: keyHeader('x-api-key'),
    errors: EXA_ERRORS,
    reply: answerReply,
  });
  return {
    async answer({ query, search }, context) {
      const { body } = await ask({ query, text: snippets, stream: false, ...(search && exaSearch(search)) }, context);
      return composeAnswer({
        text: body.answer,
        // Markers count this list from 1; `id` is the page's URL again.
        sources: body.citations.map(({ id, url, title, text }) => ({ url: url ?? id, title, snippet: text })),
        cost: outcomeCost(body.costDollars?.total),
        upstreamRequestId: body.requestId,
      });
    },
  };
}
