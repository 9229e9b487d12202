import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { optionalList, optionalText, optionalTexts } from '../../provider-kit/reply-fields.js';
import { YOU_ERRORS } from './you-errors.js';
import { youResearchSearch } from './you-search.js';

/** The longest `input` (you.com/docs, read 2026-11-20). */
const MAX_INPUT_CHARACTERS = 40_000;

const researchReply = z.object({
  output: z.object({
    content: z.string(),
    sources: optionalList(z.object({ url: optionalText, title: optionalText, snippets: optionalTexts })),
  }),
});

/** Asks `POST /v1/research` and waits for the text (as documented 2026-11-20). */
export function youResearch(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/research',
    authorize: keyHeader('x-api-key'),
    errors: YOU_ERRORS,
    reply: researchReply,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, MAX_INPUT_CHARACTERS);
      const effort = model.slug.replace('you/research-', '');
      const question = { input: query, research_effort: effort };
      const { body, failure } = await ask({ ...question, ...(search && youResearchSearch(search)) }, context);
      const { content, sources } = body.output;
      // It decides by itself what to search for, and only its sources show that it did.
      if (!sources.some(({ url }) => url)) throw failure({ detail: 'the answer is not based on a search' });
      return composeAnswer({
        text: content,
        sources: sources.map(({ url, title, snippets }) => ({ url, title, snippet: snippets?.[0] })),
        cost: {},
      });
    },
  };
}
