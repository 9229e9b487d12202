import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { Freshness } from '../../base/search-options/search-options.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { modelName, outputLimit, withSystemText } from '../../provider-kit/call-fields.js';
import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { jsonAnswer, type VendorApi } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, ProviderQuestion } from '../../provider-kit/provider.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { withMarkers } from './zai-references.js';
import { isNumberOf, pageList, reduceZaiStream, sourcesOf } from './zai-stream.js';

const RECENCY: Readonly<Record<Freshness, string>> = {
  day: 'oneDay',
  week: 'oneWeek',
  month: 'oneMonth',
  year: 'oneYear',
};

/** The engine of Z.ai's API schema. */
export const DEFAULT_ENGINE = 'search_pro_jina';

/**
 * The model with the options of an engine. Some engines ignore the filter by domain (public clients, 2026-09).
 *
 * @param filtering the engine that filters by domain.
 */
export function withEngine(model: ModelRow, engine: string, filtering = DEFAULT_ENGINE): ModelRow {
  if (model.options === undefined || engine === filtering) return model;
  return { ...model, options: { ...model.options, includeDomains: undefined } };
}

/** Fields of the tool, and of a search. */
export function zaiSearch({ includeDomains, freshness }: AskedSearch): object {
  return {
    search_domain_filter: includeDomains?.[0],
    search_recency_filter: freshness && RECENCY[freshness],
  };
}

/**
 * Z.ai's business codes, which tell more than its statuses: an account without a balance gets a 429 like an account over its rate (docs.z.ai, a copy of
 * 2025-11 read 2026-11-21; the codes of web search: a third party, 2026-09-03).
 */
export const ZAI: VendorApi = {
  errors: [
    { code: /^100[0-4]$/, reason: 'upstream_auth_failed' },
    // The account is inactive, unknown or locked, or may not use this API.
    { code: /^(?:111[0-2]|1121|1220)$/, reason: 'upstream_auth_failed' },
    // No balance (also for keys of a coding plan); the calls of the day or of the plan are used up; the plan has expired.
    { code: /^(?:1113|1304|130[89])$/, reason: 'upstream_quota_exhausted' },
    { code: /^(?:130[235]|1701)$/, reason: 'upstream_rate_limited' },
    // The prompt is too long; blocked by policy; unsafe or sensitive content.
    { code: /^(?:1261|130[01])$/, reason: 'query_rejected' },
    // Internal failures, and failures of the search engine.
    { code: /^(?:500|1120|1200|123[04]|170[23])$/, reason: 'upstream_error' },
    // No permission (docs.z.ai/api-reference/api-code, read 2026-11-26).
    { status: 434, reason: 'upstream_auth_failed' },
  ],
};

export interface ZaiOptions {
  readonly searchEngine: string;
  readonly contentSize: 'medium' | 'high';
}

/** Enough for an answer and the thinking before the answer. Z.ai cuts off longer output. */
const MAX_OUTPUT_TOKENS = 8_192;

/** A reply has the list of pages after every search, also after a search that found nothing. */
const glmReply = chatCompletion.extend({ request_id: optional.text, web_search: pageList });

/** Asks `POST /chat/completions` with a search that is required (docs.z.ai quoted by third parties, 2026-09 to 2026-11; medium confidence). */
export function zaiAnswer(connection: Connection, options: ZaiOptions): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    ...ZAI,
    path: '/chat/completions',
    reply: glmReply,
    completeness: chatFinish,
    reduce: reduceZaiStream,
    streamField: 'stream',
    request: (call, isLive) => requestBody(call, options, isLive ? 'before' : 'after'),
    outcome({ body, finish, failure }, call) {
      const { text, usage } = readChatCompletion(body);
      const pages = body.web_search;
      const hasSearched = Array.isArray(pages);
      // Without token counts the search fee alone would pass for the whole cost.
      const searches = hasSearched && typeof usage.inputTokens === 'number' ? 1 : undefined;
      const cost = outcomeCost(undefined, { ...usage, searches });
      assertComplete({ finish, failure }, cost, call);
      assertSearched(hasSearched || finish === 'truncated', failure, cost);
      const sources = sourcesOf(pages);
      return composeAnswer({
        text: withMarkers(text, isNumberOf(sources)),
        sources,
        cost,
        finish,
        upstreamRequestId: body.request_id ?? body.id,
        servedModel: body.model,
      });
    },
  });
}

/** @param order whether the list of pages comes before the text or after it. */
function requestBody(
  call: ProviderQuestion,
  { searchEngine, contentSize }: ZaiOptions,
  order: 'before' | 'after',
): object {
  const { model, search } = call;
  const required = { enable: true, search_engine: searchEngine, search_result: true, require_search: true };
  return {
    model: modelName(model),
    messages: withSystemText(call),
    tools: [
      {
        type: 'web_search',
        web_search: {
          ...required,
          count: 10,
          content_size: contentSize,
          result_sequence: order,
          ...(search && zaiSearch(search)),
        },
      },
    ],
    tool_choice: 'auto',
    // Thinking of GLM-5.3 cannot be turned off, only shortened (docs.z.ai/openapi.json, read 2026-11-21).
    reasoning_effort: 'low',
    max_tokens: outputLimit(call, MAX_OUTPUT_TOKENS),
  };
}
