import type { AnswerModel } from '../../catalog/model-entry.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, OutcomeCost } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { assertQueryFits } from '../../provider-kit/query-limit.js';
import { citedText } from '../../provider-kit/responses-citations.js';
import { finishReasonOf, responsesReply, searchesOf } from '../../provider-kit/responses-reply.js';
import { parallelSearch } from './parallel-search.js';

/** Of input and instructions together (docs.parallel.ai, read 2026-11-20). */
const MAX_QUERY_CHARACTERS = 20_000;

/** Asks `POST /v1/responses` (OpenAPI document 0.1.2, read 2026-11-21), which searches by itself: a tool is named only for its filters. */
export function parallelAnswer(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/responses',
    authorize: keyHeader('x-api-key'),
    errors: [],
    reply: responsesReply,
    evidence: finishReasonOf,
  });
  return {
    async answer({ model, query, search }, context) {
      assertQueryFits(query, MAX_QUERY_CHARACTERS);
      const effort = model.slug.slice('parallel/responses-'.length);
      const { body, finish, failure } = await ask(
        {
          model: 'parallel',
          input: query,
          reasoning: { effort },
          stream: false,
          ...(search && parallelSearch(search)),
        },
        context,
      );
      // Only successful requests are billed.
      assertComplete({ finish, failure }, {});
      const paid = flatPrice(model);
      const { text, marks, sources } = citedText(body);
      // By its documentation every answer rests on the live web and cites it; one that does not shows nothing of it.
      assertSearched(sources.length > 0 || searchesOf(body) > 0, failure, paid);
      const answer = composeAnswer({
        text,
        marks,
        sources,
        cost: paid,
        upstreamRequestId: body.id,
        servedModel: body.model,
      });
      // Nothing is reported: the usage of a reply is an estimate, and not what is billed.
      return { ...answer, cost: {} };
    },
  };
}

/** What a reply has cost that turns out to be no answer. */
function flatPrice({ prices: [price] }: AnswerModel): OutcomeCost {
  return outcomeCost(price?.kind === 'flat' ? price.request : undefined);
}
