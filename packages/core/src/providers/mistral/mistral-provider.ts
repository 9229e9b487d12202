import { z } from 'zod';
import { inputOf, outputLimit, systemText } from '../../provider-kit/call-fields.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { assertComplete, assertSearched, composeAnswer } from '../../provider-kit/compose-answer.js';
import { defineProvider, type OptionsOf, wholeNumber } from '../../provider-kit/define-provider.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import type { Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { embedAt } from '../../provider-kit/ranks-and-vectors.js';
import { atFeeOf, versionOf } from './mistral-models.js';
import { conversationReply, readConversation } from './mistral-reply.js';
import { reduceConversation } from './mistral-stream.js';
import rows from './models.json' with { type: 'json' };

/** Where Mistral differs from the common meaning of statuses (its error glossary, and errors quoted in public, read 2026-11-21). */
const MISTRAL_ERRORS: ErrorTable = [
  // 429 limits requests, tokens a minute and tokens a month. The message of the monthly limit is not documented (low confidence).
  { status: 429, message: /monthly|usage limit|billing|payment/i, reason: 'upstream_quota_exhausted' },
];

const INSTRUCTION =
  'Always search the web before you answer, even when you believe you know the answer. ' +
  'Say only what the search results support, cite them, and answer in the language of the question.';

/** Asks `POST /v1/conversations` with a search tool (as documented 2026-11-20). */
function mistralAnswer(connection: Connection, { searchTool, maxOutputTokens }: OptionsOf<typeof ownSettings>) {
  return jsonAnswer(connection, {
    path: '/v1/conversations',
    errors: MISTRAL_ERRORS,
    reply: conversationReply,
    // A whole reply has no finish reason: see below.
    completeness: () => 'complete',
    reduce: reduceConversation,
    streamField: 'stream',
    request: (call) => ({
      model: versionOf(call.model),
      inputs: inputOf(call, 'message.input'),
      instructions: systemText(call, INSTRUCTION),
      // Mistral refuses a `tool_choice` that forces one of its tools (422, seen 2025-06 and 2026-08).
      tools: [{ type: searchTool }],
      completion_args: { max_tokens: outputLimit(call, maxOutputTokens) },
      store: false,
    }),
    numbersAreWords: true,
    outcome({ body, finish: stated, failure }, call) {
      const { text, marks, sources, searches, cost, servedModel } = readConversation(body);
      // A truncated text shows only in the token count, which then reaches the limit (seen 2026-08, medium confidence). If the count is missing, an answer
      // with a limit of the caller may be cut.
      const written = body.usage?.completion_tokens || (call.maxOutputTokens ?? 0);
      const isCut = stated === 'complete' && written >= outputLimit(call, maxOutputTokens);
      const finish = isCut ? 'truncated' : stated;
      assertComplete({ finish, failure }, cost, call);
      assertSearched(searches > 0 || sources.length > 0 || isCut, failure, cost);
      return composeAnswer({
        text,
        marks,
        sources,
        cost,
        finish,
        upstreamRequestId: body.conversation_id,
        servedModel,
      });
    },
  });
}

/** The settings of `mistral()`. */
export interface MistralSettings extends ProviderSettings {
  /**
   * The search tool. The premium tool adds articles of news agencies and costs 0.05 instead of 0.03 USD a search (2026-11, medium confidence).
   * Default `web_search`.
   */
  readonly searchTool?: 'web_search' | 'web_search_premium' | undefined;
  /** Most tokens of an answer, 256 to 100,000. An answer that reaches the limit counts as truncated and fails. Default 8,192. */
  readonly maxOutputTokens?: number | undefined;
}

const SEARCH_TOOLS = ['web_search', 'web_search_premium'] as const;

const ownSettings = {
  searchTool: z.enum(SEARCH_TOOLS, 'web_search or web_search_premium').default('web_search'),
  maxOutputTokens: wholeNumber(256, 100_000).default(8_192),
};

/**
 * Mistral (mistral.ai), by its Conversations API with web search, and `POST /v1/embeddings` (@mistralai/mistralai 2.7.0). Conversations are not stored. `https://api.eu.mistral.ai` and
 * `https://api.us.mistral.ai` keep to one region (as `baseUrl`).
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const mistral: (settings: MistralSettings) => Provider = defineProvider({
  id: 'mistral',
  name: 'Mistral',
  baseUrl: 'https://api.mistral.ai',
  models: rows,
  byName: ['answer', 'embed'],
  settings: ownSettings,
  adjust: (model, { searchTool }) => atFeeOf(searchTool, model),
  ports: (connection, options) => ({
    answer: mistralAnswer(connection, options),
    embed: {
      // Base64 is not given, though its field is documented (seen 2026-06): more numbers would keep other calls waiting while they are parsed.
      maxInputs: 24,
      embed: embedAt(connection, {
        path: '/v1/embeddings',
        errors: MISTRAL_ERRORS,
        request: ({ model, inputs, dimensions }) => ({ model, input: inputs, output_dimension: dimensions }),
      }),
    },
  }),
});
