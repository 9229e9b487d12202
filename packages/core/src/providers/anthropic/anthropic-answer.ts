import type { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import { assertWhole, naming, type ReplyEnding, spentOn } from '../../provider-kit/finish-reason.js';
import { type JsonReply, jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, AnswerCall } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { ANTHROPIC_ERRORS, SEARCH_ERRORS } from './anthropic-errors.js';
import { messageReply, readTurn, turnCost } from './anthropic-reply.js';

export interface AnthropicOptions {
  readonly effort: string;
  readonly maxSearches: number;
  readonly maxOutputTokens: number;
  readonly userLocation?: Readonly<Record<string, string | undefined>> | undefined;
}

type MessageReply = z.output<typeof messageReply>;

const INSTRUCTION =
  'Search the web at least once before you answer, even when you believe you know the answer. ' +
  'Say only what the search results support, cite them, and answer in the language of the question.';

/** How often a turn that paused is continued; each pause comes after about ten uses of tools (2026-11-20, medium confidence). */
const MAX_CONTINUATIONS = 3;

/** Asks `POST /v1/messages` with the tool `web_search` (as documented 2026-11-20). */
export function anthropicAnswer(connection: Connection, options: AnthropicOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/v1/messages',
    authorize: keyHeader('x-api-key'),
    errors: ANTHROPIC_ERRORS,
    reply: messageReply,
  });
  return {
    async answer(call, context) {
      const content: unknown[] = [];
      const rounds: MessageReply['usage'][] = [];
      let reply: JsonReply<MessageReply>;
      do {
        // A turn that paused is not over: it is continued in the same attempt, by sending its blocks back as they came.
        reply = await ask(requestBody(call, content, options), context);
        content.push(...reply.body.content);
        rounds.push(reply.body.usage);
      } while (reply.body.stop_reason === 'pause_turn' && rounds.length <= MAX_CONTINUATIONS);
      const { stop_reason, stop_details } = reply.body;
      const word = [stop_reason, stop_details?.category].filter(Boolean).join(', ');
      const { text, sources, searches, searchError } = readTurn(content);
      const cost = turnCost(call.model.slug, rounds, searches);
      assertWhole(endingOf(stop_reason), naming(word, reply.failure), cost);
      // These models cannot be forced to search (400), and without a search the text is the model's memory.
      if (searches === 0 && sources.length === 0) {
        const reason = SEARCH_ERRORS.get(searchError ?? '') ?? 'upstream_invalid_response';
        throw reply.failure({
          ...spentOn(cost),
          reason,
          detail: `no search stands behind the answer: ${searchError ?? 'none was made'}`,
        });
      }
      const { id: upstreamRequestId, model: servedModel } = reply.body;
      return composeAnswer({ text, sources, cost, upstreamRequestId, servedModel });
    },
  };
}

/** How turns end; any other way is a failure, a pause that never ends included. */
const ENDINGS: ReadonlyMap<string, ReplyEnding> = new Map([
  ['end_turn', 'whole'],
  ['stop_sequence', 'whole'],
  ['max_tokens', 'cut'],
  ['model_context_window_exceeded', 'cut'],
  ['refusal', 'refused'],
]);

function endingOf(stopReason: string | null | undefined): ReplyEnding {
  return ENDINGS.get(stopReason ?? 'end_turn') ?? 'failed';
}

/** @param content the blocks of a turn that is to be continued. */
function requestBody({ model, query }: AnswerCall, content: readonly unknown[], options: AnthropicOptions): object {
  const { effort, maxSearches, maxOutputTokens, userLocation } = options;
  return {
    model: model.slug.slice('anthropic/'.length),
    max_tokens: maxOutputTokens,
    system: INSTRUCTION,
    messages: [{ role: 'user', content: query }, ...(content.length === 0 ? [] : [{ role: 'assistant', content }])],
    tools: [
      {
        // Newer versions of the tool search inside of code by default, and then give no citations.
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: maxSearches,
        ...(userLocation === undefined ? {} : { user_location: { type: 'approximate', ...userLocation } }),
      },
    ],
    output_config: { effort },
    // The rates of our price rows.
    service_tier: 'standard_only',
    stream: false,
  };
}
