import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { inputOf, modelName, outputLimit, systemText } from '../../provider-kit/call-fields.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider, type OptionsOf, textLike, wholeNumber } from '../../provider-kit/define-provider.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import { liveCitedText } from '../../provider-kit/live-cited-text.js';
import type { Connection, Provider, ProviderQuestion, ProviderSettings } from '../../provider-kit/provider.js';
import { embedAt } from '../../provider-kit/ranks-and-vectors.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { citedText } from '../../provider-kit/responses-citations.js';
import { finishReasonOf, responsesReply, searchesOf, tokensOf } from '../../provider-kit/responses-reply.js';
import { reduceResponses } from '../../provider-kit/responses-stream.js';
import { withoutParameter } from '../../text/page-url.js';
import rows from './models.json' with { type: 'json' };

/** Fields of the tool. The country is set beside them, because the settings have a country as well. */
export function openaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return Object.keys(filters).length === 0 ? {} : { filters };
}

/**
 * Where OpenAI differs from the common meaning of statuses. A failed run comes with a 200, and its codes mean the same (SDK 7.55.0 of 2026-11-10;
 * billing codes: public logs up to 2025).
 */
const OPENAI_ERRORS: ErrorTable = [
  // Usually 429; `billing_hard_limit_reached` comes with 400.
  {
    code: /^(?:insufficient_quota|billing_not_active|billing_hard_limit_reached)$/i,
    reason: 'upstream_quota_exhausted',
  },
  { code: 'rate_limit_exceeded', reason: 'upstream_rate_limited' },
  // Policy errors are about the query. So are length errors, because nothing else in a request is long.
  {
    code: /^(?:invalid_prompt|context_length_exceeded|\w+_policy(?:_violation)?)$/i,
    reason: 'query_rejected',
  },
  { status: 200, code: 'server_error', reason: 'upstream_error' },
  // The project may not be served from this region. Another attempt would fail too.
  { status: 200, code: 'data_residency_mismatch', reason: 'upstream_rejected' },
];

const INSTRUCTIONS =
  'Search the web before you answer, even when you believe you know the answer. ' +
  'Say only what the pages you found support, and cite them inline. Answer in the language of the question.';

const openaiReply = responsesReply.extend({
  tool_usage: optional.object({ web_search: optional.object({ num_requests: optional.number }) }),
});

const clean = (text: string) => withoutParameter(text, 'utm_source=openai');

/** Each annotation follows its link at once, so markers can be streamed (`vercel/ai`, recorded 2025-03; high confidence). */
const reduceOpenaiStream = reduceResponses({ writer: (live) => liveCitedText(live, { clean }) });

/** Asks `POST /responses` with the tool `web_search` (as documented 2026-11-20). */
function openaiAnswer(connection: Connection, options: OptionsOf<typeof ownSettings>) {
  return jsonAnswer(connection, {
    path: '/responses',
    errors: OPENAI_ERRORS,
    reply: openaiReply,
    completeness: finishReasonOf,
    reduce: reduceOpenaiStream,
    streamField: 'stream',
    request: (call) => requestBody(call, options),
    numbersAreWords: true,
    outcome({ body, finish, failure }, call) {
      const cost = costOf(body, call.model);
      assertComplete({ finish, failure }, cost, call);
      assertSearched(searchesOf(body) > 0 || finish === 'truncated', failure, cost);
      const { id: upstreamRequestId, model: servedModel } = body;
      return composeAnswer({ ...citedText(body, { clean }), cost, finish, upstreamRequestId, servedModel });
    },
  });
}

/** “Expected a value >= 16” (400; errors of /responses quoted in public, 2025-12 to 2026-08). */
const LEAST_OUTPUT_TOKENS = 16;

function requestBody(call: ProviderQuestion, options: OptionsOf<typeof ownSettings>): object {
  const { model, search } = call;
  const { searchContextSize, reasoningEffort, maxToolCalls, maxOutputTokens } = options;
  const country = search?.country ?? options.country;
  // Without a location OpenAI searches as if from the United States; a location without fields is no place.
  const user_location = { type: 'approximate', ...(country === undefined ? {} : { country }) };
  const tool = { type: 'web_search', search_context_size: searchContextSize, user_location };
  return {
    model: modelName(model),
    instructions: systemText(call, INSTRUCTIONS),
    input: inputOf(call),
    tools: [search === undefined ? tool : { ...tool, ...openaiSearch(search) }],
    // With a single tool this forces a search.
    tool_choice: 'required',
    max_tool_calls: maxToolCalls,
    reasoning: { effort: reasoningEffort },
    max_output_tokens: outputLimit(call, maxOutputTokens, LEAST_OUTPUT_TOKENS),
    store: false,
    // The tier of the price rows. Nothing is written to the cache: writing costs extra, and no later request would read the entry.
    service_tier: 'default',
    prompt_cache_options: { mode: 'explicit' },
  };
}

/** OpenAI reports usage, no cost. Without token counts there is no usage, because the search fee alone would be too little. */
function costOf(body: z.output<typeof openaiReply>, model: ModelRow) {
  const tokens = tokensOf(body);
  if (!tokens.inputTokens) return {};
  return outcomeCost(undefined, {
    ...tokens,
    // Some replies report 0 requests although searches ran; each search has a fee (2026-11-22).
    searches: Math.max(body.tool_usage?.web_search?.num_requests ?? 0, searchesOf(body)),
    otherFees: cacheWriteFee(body.usage?.input_tokens_details?.cache_write_tokens ?? 0, model),
  });
}

/** Tokens written to the cache cost a quarter more than other input. Our requests ask for no cache writes. */
function cacheWriteFee(tokens: number, { prices }: ModelRow): NanoUsd | undefined {
  const [price] = prices;
  if (tokens <= 0 || price?.kind !== 'dynamic') return undefined;
  return fromTokenParts(tokenPart(tokens, parseUsd(price.perMillionInputTokens ?? '0') / 4n));
}

/** The settings of `openai()`. */
export interface OpenaiSettings extends ProviderSettings {
  /**
   * How much of the found pages the model reads, and so how many input tokens a call takes. Default `low`; OpenAI's default is
   * `medium` (2026-11-20).
   */
  readonly searchContextSize?: 'low' | 'medium' | 'high' | undefined;
  /**
   * How much the model thinks before it answers: more thought finds more, costs more and takes longer. Default `low`. The newest models
   * refuse `none` and `minimal` (medium confidence, 2026-11-20). `max` thinks for minutes: give the model a longer `timeoutMs`.
   */
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined;
  /** The country that searches are made from, as an upper-case ISO 3166 code (`"DE"`). Default: no country. */
  readonly country?: string | undefined;
  /** How often the model may search or open a page in one call, 1 to 100. Default 4. */
  readonly maxToolCalls?: number | undefined;
  /** The longest reply in tokens, thoughts included, from 1,024 to 128,000; an answer that reaches it is lost. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

const ownSettings = {
  searchContextSize: z.enum(['low', 'medium', 'high'], 'low, medium or high').default('low'),
  reasoningEffort: z.enum(EFFORTS, 'low, medium, high, xhigh or max').default('low'),
  country: textLike(/^[A-Z]{2}$/, 'an upper-case ISO 3166 country code, such as "DE"').optional(),
  maxToolCalls: wholeNumber(1, 100).default(4),
  maxOutputTokens: wholeNumber(1_024, 128_000).default(8_192),
};

/**
 * OpenAI (openai.com), by its Responses API, and `POST /embeddings` (SDK 7.57.0). Limits of requests and tokens per minute hold per organization and model.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const openai: (settings: OpenaiSettings) => Provider = defineProvider({
  id: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  models: rows,
  byName: ['answer', 'embed'],
  settings: ownSettings,
  ports: (connection, options) => ({
    answer: openaiAnswer(connection, options),
    embed: {
      // Of the longest vectors so many fit into the largest reply that is read.
      maxInputs: 256,
      embed: embedAt(connection, {
        path: '/embeddings',
        errors: OPENAI_ERRORS,
        request: ({ model, inputs, dimensions }) => ({ model, input: inputs, encoding_format: 'base64', dimensions }),
      }),
    },
  }),
});
