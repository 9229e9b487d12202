import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { assertSearched, assertWhole } from '../../provider-kit/finish-reason.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
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
      const { id, ending, text, sources, cost, model: servedModel } = body;
      assertWhole(ending, failure, cost);
      // Even a forced search is left out now and then (seen 2026-09). One that ran and found nothing stands behind an answer without
      // citations, which another attempt would only repeat.
      assertSearched(sources !== null, failure, cost);
      return composeAnswer({ text, sources: sources ?? [], cost, upstreamRequestId: id, servedModel });
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
