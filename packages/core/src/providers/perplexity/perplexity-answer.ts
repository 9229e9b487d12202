import { z } from 'zod';
import { composeAnswer } from '../compose-answer.js';
import { bearer, jsonEndpoint } from '../json-endpoint.js';
import type { AnswerAdapter } from '../provider.js';
import type { Connection } from '../provider-settings.js';
import { agentReply } from './perplexity-agent-reply.js';
import { chatReply } from './perplexity-chat-reply.js';
import { PERPLEXITY_ERRORS } from './perplexity-errors.js';
import { SONAR } from './perplexity-models.js';

/** How levels of effort are asked for. */
export interface TierOptions {
  readonly tierField: 'preset' | 'effort';
  readonly tierModel: string | null;
}

/** Asks Perplexity's Agent API, `POST /v1/agent` (as documented 2026-11-20). */
export function perplexityAnswer(connection: Connection, options: TierOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/agent',
    authorize: bearer,
    errors: PERPLEXITY_ERRORS,
    reply: z.union([agentReply, chatReply]),
  });
  return {
    async answer({ model, query }, context) {
      const { body, failure } = await ask(requestBody(model.slug, query, options), context);
      const { id, completed, refused, text, sources, cost, model: servedModel } = body;
      if (refused && (text === '' || !completed)) throw failure({ reason: 'query_rejected', cost: cost.reported });
      if (!completed) throw failure({ cost: cost.reported });
      // Even a forced search is left out now and then (seen 2026-09). Such a text is the model's memory: it cites nothing and nobody
      // can check it, so another attempt is better than delivering it. A search that ran and found nothing is an answer
      // without citations, which another attempt would only repeat.
      if (sources === null) throw failure({ cost: cost.reported, detail: 'no search stands behind the answer' });
      return composeAnswer({ text, sources, cost, upstreamRequestId: id, servedModel });
    },
  };
}

/** The API refuses fields it does not know, so nothing is sent that is not needed. */
function requestBody(slug: string, query: string, { tierField, tierModel }: TierOptions): object {
  const common = { input: query, stream: false, store: false };
  if (slug === SONAR) {
    // A bare model does not search, and one that is merely offered the tool may not use it.
    return { model: SONAR, ...common, tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } };
  }
  const tier = { [tierField]: slug.slice('perplexity/'.length) };
  return tierModel === null ? { ...tier, ...common } : { ...tier, model: tierModel, ...common };
}
