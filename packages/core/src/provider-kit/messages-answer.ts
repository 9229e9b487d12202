import type { z } from 'zod';
import type { UpstreamReason } from '../base/errors/reasons.js';
import type { NanoUsd } from '../base/money.js';
import { messagesOf } from './call-fields.js';
import type { ErrorTable } from './classify.js';
import { assertComplete, composeAnswer, costAndUsage, type JsonReply, withProviderWord } from './compose-answer.js';
import { finishOfWord } from './finish-words.js';
import { jsonEndpoint, keyHeader } from './json-endpoint.js';
import { liveParts } from './live-parts.js';
import { type BilledTokens, messageReply, readTurn, turnCost } from './messages-reply.js';
import { LiveTurn, reduceMessages } from './messages-stream.js';
import type { AnswerAdapter, Connection, ProviderQuestion, Respond } from './provider.js';

/** The differences between vendors with Anthropic's Messages API. */
export interface MessagesDialect {
  readonly errors?: ErrorTable | undefined;
  /** The request without its `messages`: model, instruction, tools and limits. */
  readonly request: (call: ProviderQuestion) => object;
  /** The cost of one request beyond the rates of the model's price row. */
  readonly otherFees: (fee: FeeInput) => NanoUsd;
}

export interface FeeInput {
  readonly slug: string;
  readonly tokens: BilledTokens;
  /** When the vendor replied, by its header `date`; `undefined` without one. */
  readonly date: string | undefined;
}

type MessageReply = z.output<typeof messageReply>;

/** Asks for a search, because these models cannot be forced to make one. */
export const SEARCH_INSTRUCTION =
  'Search the web at least once before you answer, even when you believe you know the answer. ' +
  'Say only what the search results support, cite them, and answer in the language of the question.';

/** How often a paused turn is continued. A turn pauses after about ten uses of tools (2026-11-20, medium confidence). */
const MAX_CONTINUATIONS = 3;

/** The reasons of searches that failed inside a 200. All other codes concern the model's own search request. */
const SEARCH_ERRORS: ReadonlyMap<string, UpstreamReason> = new Map([
  ['too_many_requests', 'upstream_rate_limited'],
  ['unavailable', 'upstream_error'],
  // The query is the only part of the request with a length limit (SDK 1.14.0).
  ['query_too_long', 'query_rejected'],
  ['request_too_large', 'query_rejected'],
]);

/** Asks `POST /v1/messages` with the tool `web_search` (as documented 2026-11-20). */
export function messagesAnswer(connection: Connection, dialect: MessagesDialect): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, {
    path: '/v1/messages',
    authorize: keyHeader('x-api-key'),
    errors: dialect.errors,
    reply: messageReply,
    // A pause after the last continuation is a failure.
    completeness: ({ stop_reason }) => finishOfWord(stop_reason),
    reduce: reduceMessages,
    streamField: 'stream',
  });

  const respond: Respond = async (call, context, live) => {
    // One `LiveTurn` for all rounds: the text of a round continues the text of the round before.
    const turn = live && new LiveTurn(liveParts(live, { numbersAreWords: true }));
    const content: unknown[] = [];
    const rounds: MessageReply['usage'][] = [];
    let reply: JsonReply<MessageReply>;
    do {
      // A paused turn is continued in the same attempt: its blocks are sent back unchanged.
      const request = dialect.request(withRest(call, rounds));
      reply = await ask({ ...request, messages: continued(call, content) }, context, turn);
      content.push(...reply.body.content);
      rounds.push(reply.body.usage);
    } while (reply.body.stop_reason === 'pause_turn' && rounds.length <= MAX_CONTINUATIONS);
    const { stop_reason, stop_details } = reply.body;
    const word = [stop_reason, stop_details?.category].filter(Boolean).join(', ');
    const { text, marks, sources, searches, searchError } = readTurn(content);
    const { slug } = call.model;
    const date = reply.header('date');
    const cost = turnCost(rounds, searches, (tokens) => dialect.otherFees({ slug, tokens, date }));
    const { finish, failure } = reply;
    assertComplete({ finish, failure: withProviderWord(word || 'no stop_reason', failure) }, cost, call);
    // These models cannot be forced to search (400), and without a search the text is the model's memory.
    const mayBeUnsearched = finish === 'truncated' && searchError === null;
    if (searches === 0 && sources.length === 0 && !mayBeUnsearched) {
      const reason = SEARCH_ERRORS.get(searchError ?? '') ?? 'upstream_invalid_response';
      throw failure({
        ...costAndUsage(cost),
        reason,
        detail: `the answer is not based on a search: ${searchError ?? 'none was made'}`,
      });
    }
    const { id: upstreamRequestId, model: servedModel } = reply.body;
    return composeAnswer({ text, marks, sources, cost, finish, upstreamRequestId, servedModel });
  };

  return { answer: respond, stream: respond };
}

/** The call with the part of the caller's limit that the rounds so far have left over. */
function withRest(call: ProviderQuestion, rounds: readonly MessageReply['usage'][]): ProviderQuestion {
  const written = rounds.reduce((sum, used) => sum + (used?.output_tokens ?? 0), 0);
  const { maxOutputTokens } = call;
  return maxOutputTokens === undefined ? call : { ...call, maxOutputTokens: Math.max(1, maxOutputTokens - written) };
}

/** @param content the blocks of a turn to continue. */
function continued(call: ProviderQuestion, content: readonly unknown[]): readonly object[] {
  const messages = messagesOf(call);
  return content.length === 0 ? messages : [...messages, { role: 'assistant', content }];
}
