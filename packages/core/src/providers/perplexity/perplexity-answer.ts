import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type {
  AnswerAdapter,
  AnswerCall,
  AnswerContext,
  AnswerOutcome,
  LiveAnswer,
} from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { agentReply } from './perplexity-agent-reply.js';
import { chatReply } from './perplexity-chat-reply.js';
import { PERPLEXITY_ERRORS } from './perplexity-errors.js';
import { PERPLEXITY_MARKERS, perplexityLive, reducePerplexityStream } from './perplexity-live.js';
import { perplexityRequests, type TierOptions } from './perplexity-request.js';

/** Asks Perplexity's Agent API, `POST /v1/agent` (as documented 2026-11-22). */
export function perplexityAnswer(connection: Connection, options: TierOptions): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, {
    path: '/v1/agent',
    authorize: bearer,
    errors: PERPLEXITY_ERRORS,
    reply: z.union([agentReply, chatReply]),
    evidence: ({ finishReason }) => finishReason,
    reduce: reducePerplexityStream,
    streamField: 'stream',
  });
  const request = perplexityRequests(ask, options);

  async function respond(call: AnswerCall, context: AnswerContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const { body, finish, failure } = await request(call, context, live && perplexityLive(live));
    const { id, text, marks, numbersAreWords, sources, cost, model: servedModel } = body;
    assertComplete({ finish, failure }, cost);
    // Even a forced search is left out now and then (seen 2026-09). One that ran and found nothing is the base of an answer without
    // citations, which another attempt would only repeat.
    assertSearched(sources !== null, failure, cost);
    return composeAnswer({
      text,
      marks,
      numbersAreWords,
      ...PERPLEXITY_MARKERS,
      sources: sources ?? [],
      cost,
      upstreamRequestId: id,
      servedModel,
    });
  }

  return { answer: respond, stream: respond };
}
