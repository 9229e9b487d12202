import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { jsonAnswer } from '../../provider-kit/json-answer.js';
import { bearer } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { MISTRAL_ERRORS } from './mistral-errors.js';
import { type MistralSearchTool, versionOf } from './mistral-models.js';
import { conversationReply, readConversation } from './mistral-reply.js';
import { reduceConversation } from './mistral-stream.js';

export interface MistralOptions {
  readonly searchTool: MistralSearchTool;
  readonly maxOutputTokens: number;
}

const INSTRUCTION =
  'Always search the web before you answer, even when you believe you know the answer. ' +
  'Say only what the search results support, cite them, and answer in the language of the question.';

/** Asks `POST /v1/conversations` with a search tool (as documented 2026-11-20). */
export function mistralAnswer(
  connection: Connection,
  { searchTool, maxOutputTokens }: MistralOptions,
): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    path: '/v1/conversations',
    authorize: bearer,
    errors: MISTRAL_ERRORS,
    reply: conversationReply,
    // A whole reply says no more than that it is JSON, and never that its text is truncated: all it shows is that the tokens allowed were used up (seen 2026-08,
    // medium confidence).
    evidence: ({ usage }) => ((usage?.completion_tokens ?? 0) < maxOutputTokens ? 'complete' : 'truncated'),
    reduce: reduceConversation,
    streamField: 'stream',
    request: ({ model, query }) => ({
      model: versionOf(model),
      inputs: query,
      instructions: INSTRUCTION,
      // With Mistral's own tools a `tool_choice` that forces one is refused (422, seen 2025-06 and 2026-08).
      tools: [{ type: searchTool }],
      completion_args: { max_tokens: maxOutputTokens },
      store: false,
    }),
    numbersAreWords: true,
    outcome({ body, finish, failure }) {
      const { text, marks, sources, searches, cost, servedModel } = readConversation(body);
      assertSearched(searches > 0 || sources.length > 0, failure, cost);
      assertComplete({ finish, failure }, cost);
      return composeAnswer({ text, marks, sources, cost, upstreamRequestId: body.conversation_id, servedModel });
    },
  });
}
