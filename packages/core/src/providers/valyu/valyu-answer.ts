import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { finishOfWord } from '../../provider-kit/finish-words.js';
import { jsonAnswer } from '../../provider-kit/json-answer.js';
import { keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalAmount, optionalText, optionalTexts } from '../../provider-kit/reply-fields.js';
import { VALYU_ERRORS } from './valyu-errors.js';
import { valyuSearch } from './valyu-search.js';
import { allSources, pageList, reduceValyuStream } from './valyu-stream.js';

const answerReply = z.object({
  success: z.boolean(),
  /** Of the text, where its chunks say how it ended. */
  finish_reason: optionalText,
  tx_id: optionalText,
  contents: optionalText,
  search_results: pageList,
  earlier_results: pageList,
  search_metadata: z.object({ tx_ids: optionalTexts }).nullish().catch(null),
  cost: z.object({ total_deduction_dollars: optionalAmount }).nullish().catch(null),
});

/**
 * Asks `POST /v1/answer` (OpenAPI document 2.2.0 and SDKs, read 2026-11-20). It always streams.
 *
 * @param defaults fields of every request, by Valyu's names; what the caller asks of the search comes before them.
 */
export function valyuAnswer(connection: Connection, defaults: object): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    path: '/v1/answer',
    authorize: keyHeader('x-api-key'),
    errors: VALYU_ERRORS,
    reply: answerReply,
    evidence: ({ success, finish_reason }) => {
      if (!success) return 'failed';
      return finish_reason ? finishOfWord(finish_reason) : 'complete';
    },
    reduce: reduceValyuStream,
    // Results may still be found while the text comes, so what its markers mean is known at the end.
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
      // A model decides on the searches, each of which is a transaction (low confidence: inferred from the name of the field).
      assertSearched(found.length > 0 || (search_metadata?.tx_ids ?? []).length > 0, failure, cost);
      const sources = allSources(body.earlier_results, search_results);
      return composeAnswer({ text: contents ?? '', sources, cost, upstreamRequestId: tx_id });
    },
  });
}
