import { z } from 'zod';
import type { Source } from '../../citations/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../citations/reply-limits.js';
import { chatCompletion, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, AnswerCall } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { looseList, optionalText } from '../../provider-kit/reply-fields.js';
import { ZAI_ERRORS } from './zai-errors.js';
import { zaiSearch } from './zai-search.js';

export interface ZaiOptions {
  readonly searchEngine: string;
  readonly contentSize: 'medium' | 'high';
}

/** An answer fits, with the thinking before it; more is cut off by Z.ai. */
const MAX_OUTPUT_TOKENS = 8_192;

const page = z.object({ refer: optionalText, link: optionalText, title: optionalText, content: optionalText });
/** The list of pages is there when a search took place, even when it found nothing. */
const glmReply = chatCompletion.extend({ request_id: optionalText, web_search: looseList(page).nullish().catch(null) });

/** Asks `POST /chat/completions` with a search that is required (docs.z.ai by third parties, 2026-09 to 2026-11; medium confidence). */
export function zaiAnswer(connection: Connection, options: ZaiOptions): AnswerAdapter {
  const ask = jsonEndpoint(connection, {
    path: '/chat/completions',
    authorize: bearer,
    errors: ZAI_ERRORS,
    reply: glmReply,
  });
  return {
    async answer(call, context) {
      const name = call.model.slug.slice('zai/'.length);
      const { body, failure } = await ask({ model: name, ...question(call, options) }, context);
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
        sources: (pages ?? []).map(toSource),
        cost,
        upstreamRequestId: body.request_id ?? body.id,
        servedModel: body.model,
      });
    },
  };
}

function question({ query, search }: AnswerCall, { searchEngine, contentSize }: ZaiOptions): object {
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
          result_sequence: 'after',
          ...(search && zaiSearch(search)),
        },
      },
    ],
    tool_choice: 'auto',
    // GLM-5.3 cannot be kept from thinking (docs.z.ai/openapi.json, read 2026-11-21), only kept short.
    reasoning_effort: 'low',
    max_tokens: MAX_OUTPUT_TOKENS,
    stream: false,
  };
}

/** Pages are called `ref_1` or `1`. */
function toSource({ refer, link, title, content }: z.output<typeof page>): Source {
  const [number] = /\d+/.exec(refer ?? '') ?? [];
  return { ...(number === undefined ? {} : { id: Number(number) }), url: link, title, snippet: content };
}

const REFERENCES =
  /[[【(（]([^[\]【】()（）\n]{0,20}?)(ref_\d{1,3}(?:[\s,，、;；]{1,3}ref_\d{1,3}){0,20})[\]】)）]|\bref_(\d{1,3})\b/g;

/** `[ref_1]`, `[来源：ref_1, ref_2]`, `(see ref_3)` and `ref_4` alone as markers in numbers, the first {@link MAX_ANNOTATIONS} of them. */
function withMarkers(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: marker, index } of text.matchAll(REFERENCES)) {
    if (parts.length === 2 * MAX_ANNOTATIONS) break;
    parts.push(text.slice(from, index), `[${(marker.match(/(?<=ref_)\d+/g) ?? []).join(', ')}]`);
    from = index + marker.length;
  }
  return parts.join('') + text.slice(from);
}
