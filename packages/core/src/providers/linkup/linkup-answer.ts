import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalList, optionalText } from '../../provider-kit/reply-fields.js';
import { LINKUP_ERRORS } from './linkup-errors.js';
import { depthOf } from './linkup-models.js';
import { linkupSearch } from './linkup-search.js';

/** The whole of a reply: no id, no usage, no cost. */
const sourcedAnswer = z.object({
  answer: z.string(),
  sources: optionalList(z.object({ url: optionalText, name: optionalText, snippet: optionalText })),
});

/**
 * Asks `POST /search` for a sourced answer (as documented 2026-11-20). The search is what is asked for, so it cannot be left out.
 *
 * @param defaults fields of every request, by Linkup's names.
 */
export function linkupAnswer(connection: Connection, defaults: Readonly<Record<string, unknown>>): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: bearer,
    errors: LINKUP_ERRORS,
    reply: sourcedAnswer,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query, search }, context) {
      const question = { q: query, depth: depthOf(model), outputType: 'sourcedAnswer' };
      const { body } = await ask({ ...question, ...defaults, ...(search && linkupSearch(search)) }, context);
      return composeAnswer({
        text: body.answer,
        sources: body.sources.map(({ url, name, snippet }) => ({ url, title: name, snippet })),
        cost: {},
      });
    },
  };
}
