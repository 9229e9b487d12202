import { chatCompletion, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import { liveParts } from '../../provider-kit/live-parts.js';
import type {
  AnswerAdapter,
  AnswerCall,
  AnswerContext,
  AnswerOutcome,
  LiveAnswer,
} from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { optionalText } from '../../provider-kit/reply-fields.js';
import { ZAI_ERRORS } from './zai-errors.js';
import { withMarkers } from './zai-references.js';
import { zaiSearch } from './zai-search.js';
import { foldZaiStream, pageList, sourcesOf } from './zai-stream.js';

export interface ZaiOptions {
  readonly searchEngine: string;
  readonly contentSize: 'medium' | 'high';
}

/** An answer fits, with the thinking before it; more is cut off by Z.ai. */
const MAX_OUTPUT_TOKENS = 8_192;

/** The list of pages is there when a search took place, even when it found nothing. */
const glmReply = chatCompletion.extend({ request_id: optionalText, web_search: pageList });

/** Asks `POST /chat/completions` with a search that is required (docs.z.ai by third parties, 2026-09 to 2026-11; medium confidence). */
export function zaiAnswer(connection: Connection, options: ZaiOptions): Required<AnswerAdapter> {
  const endpoint = { path: '/chat/completions', authorize: bearer, errors: ZAI_ERRORS, reply: glmReply };
  const ask = jsonEndpoint(connection, endpoint);
  const askLive = jsonEndpoint(connection, { ...endpoint, fold: foldZaiStream });

  async function respond(call: AnswerCall, context: AnswerContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const name = call.model.slug.slice('zai/'.length);
    const request = { model: name, ...question(call, options, live !== undefined) };
    const sent = live === undefined ? ask(request, context) : askLive(request, context, liveParts(live));
    const { body, failure } = await sent;
    const { text, finishReason, usage } = readChatCompletion(body);
    const pages = body.web_search;
    const hasSearched = Array.isArray(pages);
    // Without tokens the search alone would pass for the whole cost.
    const searches = hasSearched && typeof usage.inputTokens === 'number' ? 1 : undefined;
    const cost = outcomeCost(undefined, { ...usage, searches });
    assertComplete(finishReason, failure, cost);
    assertSearched(hasSearched, failure, cost);
    return composeAnswer({
      text: withMarkers(text),
      sources: sourcesOf(pages),
      cost,
      upstreamRequestId: body.request_id ?? body.id,
      servedModel: body.model,
    });
  }

  return { answer: respond, stream: respond };
}

function question({ query, search }: AnswerCall, { searchEngine, contentSize }: ZaiOptions, stream: boolean): object {
  const required = { enable: true, search_engine: searchEngine, search_result: true, require_search: true };
  return {
    messages: [{ role: 'user', content: query }],
    tools: [
      {
        type: 'web_search',
        web_search: {
          ...required,
          count: 10,
          content_size: contentSize,
          result_sequence: stream ? 'before' : 'after',
          ...(search && zaiSearch(search)),
        },
      },
    ],
    tool_choice: 'auto',
    // GLM-5.3 cannot be kept from thinking (docs.z.ai/openapi.json, read 2026-11-21), only kept short.
    reasoning_effort: 'low',
    max_tokens: MAX_OUTPUT_TOKENS,
    stream,
  };
}
