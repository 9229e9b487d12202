import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { optionalList, optionalNumber, optionalText } from '../../provider-kit/reply-fields.js';
import { TAVILY_ERRORS } from './tavily-errors.js';
import { tierOf } from './tavily-models.js';
import { tavilySearch } from './tavily-search.js';

export interface TavilyOptions {
  readonly usdPerCredit: string;
  readonly maxQueryCharacters: number;
  /** Fields of every request, by Tavily's names. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const searchReply = z.object({
  request_id: optionalText,
  /** `null` or empty when the model had nothing to say, although the search is paid for. */
  answer: optionalText,
  results: optionalList(z.object({ url: optionalText, title: optionalText, content: optionalText })),
  usage: z.object({ credits: optionalNumber }).nullish().catch(null),
});

/** Asks `POST /search` for an answer beside its results (as documented 2026-11-20). The search is what is asked for, so it cannot be left out. */
export function tavilyAnswer(connection: Connection, options: TavilyOptions): AnswerAdapter {
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
      // The text has no markers; it is written from all results, so all are its sources.
      const sources = body.results.map(({ url, title, content }) => ({ url, title, snippet: content }));
      return composeAnswer({ text, sources, cost, upstreamRequestId: body.request_id });
    },
  };
}
