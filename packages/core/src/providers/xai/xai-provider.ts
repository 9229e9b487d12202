import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { modelName, outputLimit, withSystemText } from '../../provider-kit/call-fields.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider, type OptionsOf, wholeNumber } from '../../provider-kit/define-provider.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import { liveCitedText } from '../../provider-kit/live-cited-text.js';
import type { Connection, Provider, ProviderQuestion, ProviderSettings } from '../../provider-kit/provider.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { citedText } from '../../provider-kit/responses-citations.js';
import {
  finishReasonOf,
  responsesReply,
  responsesUsage,
  searchesOf,
  tokensOf,
} from '../../provider-kit/responses-reply.js';
import { reduceResponses } from '../../provider-kit/responses-stream.js';
import rows from './models.json' with { type: 'json' };

/** Fields of the tool. */
function xaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  return { filters: { allowed_domains: includeDomains, excluded_domains: excludeDomains } };
}

/**
 * Where xAI differs from the common meaning of statuses. Its codes are sentences, so only messages distinguish cases. The
 * messages are quoted from public logs (2025-08 to 2026-09).
 */
const XAI_ERRORS: ErrorTable = [
  // “Incorrect API key provided: …”
  { status: 400, message: /(?:incorrect|invalid) api key/i, reason: 'upstream_auth_failed' },
  // “Content violates usage guidelines. … Failed check: SAFETY_CHECK_TYPE_BIO”
  { status: [400, 403], message: /usage guidelines|SAFETY_CHECK/i, reason: 'query_rejected' },
  // “… has either used all available credits or reached its monthly spending limit”, “You have run out of credits …”
  { status: [403, 429], message: /credits|spending limit/i, reason: 'upstream_quota_exhausted' },
];

/** From least thought to most. */
const XAI_EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh'] as const;
type XaiEffort = (typeof XAI_EFFORTS)[number];

/**
 * Levels that a model does not know, with the nearest level that it knows: 4.3 has no `xhigh` (@ai-sdk/xai 4.0.0), 4.7 no `none`
 * (docs.x.ai/docs/guides/reasoning, quoted in farion1231/cc-switch issue 7584, 2026-09-22); read 2026-11-22.
 */
const NEAREST_EFFORT: ReadonlyMap<string, Partial<Record<XaiEffort, XaiEffort>>> = new Map([
  ['xai/grok-4.3', { xhigh: 'high' }],
  ['xai/grok-4.7', { none: 'low' }],
]);

/** A tick is 1e-10 USD (xai-sdk-python 1.19.0, 2026-08-18). */
const TICKS_PER_USD = 1e10;

const xaiReply = responsesReply.extend({
  /** The found pages, in some replies (medium confidence). */
  citations: optional.texts,
  usage: optional.of(
    responsesUsage.extend({
      cost_in_usd_ticks: optional.number,
      server_side_tool_usage_details: optional.object({ web_search_calls: optional.number }),
    }),
  ),
});

/**
 * Annotations without a link have come behind the text, with offsets of 0 (`vercel/ai`, recorded 2026-07). Whether an annotation follows its link at once is
 * not documented. If it does not, the text from the first link on waits for the end of its part.
 */
const reduceXaiStream = reduceResponses({ writer: (live) => liveCitedText(live) });

/** Asks `POST /responses` with the tool `web_search` (as documented 2026-11-20). */
function xaiAnswer(connection: Connection, options: OptionsOf<typeof ownSettings>) {
  return jsonAnswer(connection, {
    path: '/responses',
    errors: XAI_ERRORS,
    reply: xaiReply,
    completeness: finishReasonOf,
    reduce: reduceXaiStream,
    streamField: 'stream',
    request: (call) => requestBody(call, options),
    numbersAreWords: true,
    outcome({ body, finish, failure }, call) {
      const cost = costOf(body);
      assertComplete({ finish, failure }, cost, call);
      assertSearched(searchesOf(body) > 0 || finish === 'truncated', failure, cost);
      const { id: upstreamRequestId, model: servedModel, citations } = body;
      return composeAnswer({
        ...citedText(body, { otherwise: citations ?? [] }),
        cost,
        finish,
        upstreamRequestId,
        servedModel,
      });
    },
  });
}

function requestBody(call: ProviderQuestion, options: OptionsOf<typeof ownSettings>): object {
  const { reasoningEffort, maxSearches, maxOutputTokens } = options;
  const { search } = call;
  const { slug } = call.model;
  const instruction =
    'Search the web before you answer, even when you believe you know the answer, ' +
    `with ${maxSearches === 1 ? 'one search' : `at most ${maxSearches} searches`}. ` +
    'Say only what the pages you found support, and cite them inline. Answer in the language of the question.';
  return {
    model: modelName(call.model),
    input: withSystemText(call, instruction),
    tools: [{ type: 'web_search', ...(search && xaiSearch(search)) }],
    // With a single tool this forces a search.
    tool_choice: 'required',
    reasoning: { effort: NEAREST_EFFORT.get(slug)?.[reasoningEffort] ?? reasoningEffort },
    // In xAI's OpenAPI document (docs.x.ai/openapi.json, read 2026-11-22). A turn makes one search or several at once. After the last
    // turn the model answers from the pages it has (medium confidence).
    max_turns: maxSearches,
    max_output_tokens: outputLimit(call, maxOutputTokens),
    store: false,
  };
}

function costOf(body: z.output<typeof xaiReply>) {
  const { inputTokens, cachedInputTokens, outputTokens } = tokensOf(body);
  const reported = (body.usage?.cost_in_usd_ticks ?? Number.NaN) / TICKS_PER_USD;
  if (!inputTokens) return outcomeCost(reported);
  const cached = cachedInputTokens ?? 0;
  return outcomeCost(reported, {
    // In some replies the input tokens do not include cached tokens (seen 2026-09).
    inputTokens: cached > inputTokens ? inputTokens + cached : inputTokens,
    cachedInputTokens,
    outputTokens,
    searches: body.usage?.server_side_tool_usage_details?.web_search_calls ?? searchesOf(body),
  });
}

/** The settings of `xai()`. */
export interface XaiSettings extends ProviderSettings {
  /**
   * How much the model thinks before it answers: more thought finds more, costs more and takes longer. For Grok 4.3 `xhigh` means
   * `high`, and for Grok 4.7 `none` means `low`, because the models do not know these levels (2026-11-22). Default `low`.
   */
  readonly reasoningEffort?: 'none' | 'low' | 'medium' | 'high' | 'xhigh' | undefined;
  /**
   * The most searches that the model is asked to make, 1 to 20. Each search has a fee. The setting also limits the turns with tools (`max_turns`), but the
   * model may search several times in a turn. Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** The longest reply in tokens, thoughts included, from 1,024 to 128,000; an answer that reaches it is lost. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const ownSettings = {
  reasoningEffort: z.enum(XAI_EFFORTS, 'none, low, medium, high or xhigh').default('low'),
  maxSearches: wholeNumber(1, 20).default(3),
  maxOutputTokens: wholeNumber(1_024, 128_000).default(8_192),
};

/**
 * xAI (x.ai), by its Responses API. Limits of requests and tokens hold per team and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const xai: (settings: XaiSettings) => Provider = defineProvider({
  id: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  models: rows,
  byName: ['answer'],
  settings: ownSettings,
  ports: (connection, options) => ({ answer: xaiAnswer(connection, options) }),
});
