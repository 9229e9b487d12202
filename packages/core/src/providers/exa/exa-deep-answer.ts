import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalAmount, optionalList, optionalText, optionalTexts } from '../../provider-kit/reply-fields.js';
import { EXA_ERRORS } from './exa-errors.js';
import { exaSearch } from './exa-search.js';

const page = z.object({ url: optionalText, title: optionalText });

const deepReply = z.object({
  requestId: optionalText,
  output: z.object({
    content: z.string(),
    grounding: optionalList(z.object({ citations: optionalList(page).catch([]) })),
  }),
  results: optionalList(page.extend({ highlights: optionalTexts })),
  costDollars: z.object({ total: optionalAmount }).nullish().catch(null),
});

/** Asks `POST /search` for a synthesised text (as documented 2026-11-20): what Exa offers in place of `/research`, retired 2026-05-01. */
export function exaDeepAnswer(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/search',
    authorize: keyHeader('x-api-key'),
    errors: EXA_ERRORS,
    reply: deepReply,
    evidence: 'closed object',
  });
  return {
    async answer({ model, query, search }, context) {
      const { body } = await ask(
        {
          query,
          type: model.slug.replace('exa/answer-', ''),
          outputSchema: { type: 'text' },
          contents: { highlights: true },
          ...(search && exaSearch(search)),
        },
        context,
      );
      const grounds = body.output.grounding.flatMap(({ citations }) => citations);
      const results = body.results.map(({ url, title, highlights }) => ({ url, title, snippet: highlights?.[0] }));
      return composeAnswer({
        text: body.output.content,
        // What the text rests on first, then what else was found. No documentation says which of the two lists markers would count (low
        // confidence), and none have been seen in such texts.
        sources: [...grounds, ...results],
        cost: outcomeCost(body.costDollars?.total),
        upstreamRequestId: body.requestId,
      });
    },
  };
}
