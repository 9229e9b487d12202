import { z } from 'zod';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { outputLimit, withSystemText } from '../../provider-kit/call-fields.js';
import {
  annotatedSources,
  chatCompletion,
  chatFinish,
  readChatCompletion,
  reduceChat,
} from '../../provider-kit/chat-completion.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider, type OptionsOf, textLike, wholeNumber } from '../../provider-kit/define-provider.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import { SEARCH_INSTRUCTION } from '../../provider-kit/messages-answer.js';
import type { Connection, Provider, ProviderQuestion, ProviderSettings } from '../../provider-kit/provider.js';
import { embedAt, rerankAt } from '../../provider-kit/ranks-and-vectors.js';
import type { CreateReducer, JsonObject } from '../../provider-kit/reduce-stream.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { costFields, routedCost } from '../../provider-kit/routed-cost.js';
import type { Source } from '../../text/collect-citations.js';
import rows from './models.json' with { type: 'json' };

/** The default engine is the search of the model's vendor, and each engine has its own domain filters. Exa takes both lists with every model. */
function openrouterSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  return { engine: 'exa', allowed_domains: includeDomains, excluded_domains: excludeDomains };
}

/**
 * Where OpenRouter differs from the common meaning of statuses (openrouter.ai/docs/api/reference/errors-and-debugging, read 2026-11-22). Once a model
 * has begun to answer, the status is 200 and the error has the code.
 */
const OPENROUTER_ERRORS: ErrorTable = [
  { status: 403, message: /flagged|moderation/i, reason: 'query_rejected' },
  { status: 200, code: '402', reason: 'upstream_quota_exhausted' },
  { status: 200, code: '429', reason: 'upstream_rate_limited' },
  { status: 200, code: /^(?:408|5\d\d)$/, reason: 'upstream_error' },
];

const toolUse = optional.object({ web_search_requests: optional.number });
const usage = z.object({
  ...costFields,
  server_tool_use_details: toolUse,
  /** The same in older replies. */
  server_tool_use: toolUse,
});
const routedReply = chatCompletion.extend({ usage: optional.of(usage) });

/** Asks `POST /chat/completions` with the server tool `openrouter:web_search` (OpenRouter's documents, read 2026-11-22, and its SDK 1.3.19). */
function openrouterAnswer(connection: Connection, options: OptionsOf<typeof ownSettings>) {
  return jsonAnswer(connection, {
    path: '/chat/completions',
    errors: OPENROUTER_ERRORS,
    reply: routedReply,
    completeness: chatFinish,
    reduce: reduceRoutedStream,
    streamField: 'stream',
    request: (call) => requestBody(call, options),
    outcome({ body, finish, failure }, call) {
      const { usage: used, ...reply } = body;
      const { text, annotations } = readChatCompletion(reply);
      const cost = outcomeCost(routedCost(used));
      assertComplete({ finish, failure }, cost, call);
      // The model decides whether to search. A count of searches proves a search, and so do cited pages.
      const counted = used?.server_tool_use_details ?? used?.server_tool_use;
      const searches = counted?.web_search_requests ?? 0;
      const hasSearched = searches > 0 || annotations.some(({ url }) => url);
      assertSearched(hasSearched || finish === 'truncated', failure, cost);
      const { id: upstreamRequestId, model: servedModel } = body;
      return composeAnswer({ text, sources: pagesOf(annotations), cost, finish, upstreamRequestId, servedModel });
    },
  });
}

/**
 * Reduces chunks of a chat completion with annotations in their deltas (as public clients read them in 2026-11; medium confidence). The last message before
 * `[DONE]` has the usage (openrouter.ai/docs/guides/administration/usage-accounting, by several readers of 2026-08). A stream without both has no cost.
 */
const reduceRoutedStream: CreateReducer = (live) => {
  const known = new Set<string>();
  const sources = (_chunk: JsonObject, delta: JsonObject) => pagesOf(annotatedSources(delta), known);
  return reduceChat({ sources, usageIsLast: true, mayThink: ({ model }) => !APART.test(String(model)) })(live);
};

/** Models of vendors that never write thoughts into the text. Open models may, by the server that runs them (low confidence, 2026-11-29). */
const APART = /^(?:anthropic\/|google\/gemini|openai\/(?!gpt-oss)|perplexity\/sonar(?!-reasoning)|x-ai\/)/;

/** Each page once, although a page is annotated at each citation. So the numbers in a text are known before the annotations, which come last. */
function pagesOf(annotations: readonly Source[], known = new Set<string>()): Source[] {
  return annotations.filter(({ url }) => {
    const page = url?.trim() ?? '';
    return page !== '' && !known.has(page) && known.add(page);
  });
}

/** OpenAI's models behind OpenRouter refuse less (400; vllm-project/guidellm issue 370, 2025-09). Others take it. */
const LEAST_OUTPUT_TOKENS = 16;

function requestBody(call: ProviderQuestion, options: OptionsOf<typeof ownSettings>): object {
  const { search } = call;
  const { model, maxResults, maxSearches, maxOutputTokens } = options;
  const parameters = { max_results: maxResults, max_uses: maxSearches, ...(search && openrouterSearch(search)) };
  return {
    model,
    messages: withSystemText(call, SEARCH_INSTRUCTION),
    tools: [{ type: 'openrouter:web_search', parameters }],
    max_tokens: outputLimit(call, maxOutputTokens, LEAST_OUTPUT_TOKENS),
  };
}

/** The settings of `openrouter()`. */
export interface OpenrouterSettings extends ProviderSettings {
  /** OpenRouter's id of the model that answers, such as `openai/gpt-6-luna`. Default `openrouter/auto`: OpenRouter chooses the model. */
  readonly model?: string | undefined;
  /** Most results of one search, 1 to 10. Default 5. */
  readonly maxResults?: number | undefined;
  /**
   * Most searches of one request, 1 to 20. Each search is billed. OpenRouter's engines and Anthropic's search follow the limit; the searches of other vendors
   * ignore it (SDK 1.3.19). Default 3.
   */
  readonly maxSearches?: number | undefined;
  /** Most tokens of the output, thoughts included, 1,024 to 65,536: a longer answer fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const ownSettings = {
  model: textLike(/^[\w~.-]+\/[\w.:-]+$/, 'an id of a model such as "openai/gpt-6-luna"').default('openrouter/auto'),
  maxResults: wholeNumber(1, 10).default(5),
  maxSearches: wholeNumber(1, 20).default(3),
  maxOutputTokens: wholeNumber(1_024, 65_536).default(8_192),
};

/**
 * OpenRouter (openrouter.ai), by its chat completions with the server tool `openrouter:web_search`, its reranks and its embeddings.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const openrouter: (settings: OpenrouterSettings) => Provider = defineProvider({
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  models: rows,
  settings: ownSettings,
  ports: (connection, options) => ({
    answer: openrouterAnswer(connection, options),
    // The id of a model begins with its vendor. Replies report the cost (@openrouter/sdk 1.3.19, read 2026-11-26).
    rerank: rerankAt(connection, {
      path: '/rerank',
      errors: OPENROUTER_ERRORS,
      request: ({ model, query, documents, topN }) => {
        const vendor = model.startsWith('rerank-2.5') ? 'voyageai' : 'cohere';
        return { model: `${vendor}/${model}`, query, documents, top_n: topN };
      },
    }),
    embed: {
      maxInputs: 256,
      embed: embedAt(connection, {
        path: '/embeddings',
        errors: OPENROUTER_ERRORS,
        request: ({ model, inputs, dimensions }) => ({
          model: `openai/${model}`,
          input: inputs,
          encoding_format: 'base64',
          dimensions,
        }),
      }),
    },
  }),
});
