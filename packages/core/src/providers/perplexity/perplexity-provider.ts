import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { inputOf, outputLimit } from '../../provider-kit/call-fields.js';
import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { assertComplete, assertSearched, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider, textLike } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type {
  AnswerAdapter,
  CallContext,
  Connection,
  Provider,
  ProviderQuestion,
  ProviderSettings,
  Respond,
} from '../../provider-kit/provider.js';
import { optional } from '../../provider-kit/reply-fields.js';
import rows from './models.json' with { type: 'json' };
import { agentReply } from './perplexity-agent-reply.js';
import type { PerplexityReply } from './perplexity-citations.js';
import { PERPLEXITY_MARKERS, perplexityLive, reducePerplexityStream } from './perplexity-live.js';
import { PERPLEXITY, SONAR, webSearchTool, withoutRates } from './perplexity-models.js';
import { perplexityEmbedPort, perplexitySearchPort } from './perplexity-ports.js';

/**
 * A reply of Sonar Chat Completions, which the Agent API replaced on 2026-09-27. Read in case the new address, or a proxy before the address, answers in
 * the old shape.
 */
const chatReply = chatCompletion
  .extend({
    usage: optional.object({ cost: optional.object({ total_cost: optional.amount }) }),
  })
  .transform(({ usage, ...reply }): PerplexityReply => {
    const { text, citations, searchResults } = readChatCompletion(reply);
    const hasSearched = citations !== null || searchResults !== null;
    return {
      id: reply.id,
      model: reply.model,
      finishReason: chatFinish(reply),
      text,
      plainText: text,
      // Citation markers count `citations`; `searchResults` add titles and snippets by URL.
      sources: hasSearched ? [...(citations ?? []), ...(searchResults ?? [])] : null,
      cost: outcomeCost(usage?.cost?.total_cost),
    };
  });

/** The settings of `perplexity()`. */
export interface PerplexitySettings extends ProviderSettings {
  /**
   * The request field that names a level of effort. Perplexity's documents call it `effort` (2026-11-22), its SDKs up to 2026-08 `preset`.
   * Default: `effort`, and `preset` after Perplexity has refused `effort` by name. If the setting is given, only this field is tried.
   */
  readonly tierField?: 'effort' | 'preset' | undefined;
  /**
   * The model behind the levels of effort. The default, `perplexity/sonar`, keeps prompts with Perplexity; `null` leaves the choice
   * to Perplexity, which then hands prompts to OpenAI or Anthropic (2026-10) at their prices.
   */
  readonly tierModel?: string | null | undefined;
}

/**
 * Perplexity (perplexity.ai), by its Agent API, its Search API and its Embeddings API. Requests per second depend on the account's tier: from 1 to 33 at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const perplexity: (settings: PerplexitySettings) => Provider = defineProvider({
  id: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  models: rows,
  byName: ['embed'],
  settings: {
    tierField: z.enum(['effort', 'preset'], 'effort or preset').optional(),
    tierModel: textLike(/^[\w.-]+\/[\w.-]+$/, '<provider>/<model> or null')
      .nullable()
      .default(SONAR),
  },
  adjust: (model, { tierModel }) => (model.slug === SONAR || tierModel === SONAR ? model : withoutRates(model)),
  ports: (connection, options) => ({
    answer: perplexityAnswer(connection, options),
    search: perplexitySearchPort(connection),
    // Of 512 that a call may have: more would keep other calls waiting while their numbers become floats.
    embed: { maxInputs: 64, embed: perplexityEmbedPort(connection) },
  }),
});

/** Asks Perplexity's Agent API, `POST /v1/agent` (as documented 2026-11-22). */
function perplexityAnswer(connection: Connection, options: TierOptions): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, {
    ...PERPLEXITY,
    path: '/v1/agent',
    reply: z.union([agentReply, chatReply]),
    completeness: ({ finishReason }) => finishReason,
    reduce: reducePerplexityStream,
    streamField: 'stream',
  });
  const request = perplexityRequests(ask, options);

  const respond: Respond = async (call, context, live) => {
    const { body, finish, failure } = await request(call, context, live && perplexityLive(live));
    const { id, text, plainText, marks, numbersAreWords, sources, cost, model: servedModel } = body;
    assertComplete({ finish, failure }, cost, call);
    // Perplexity leaves out even a forced search now and then (seen 2026-09). After a search that found nothing, an answer without citations is right:
    // another attempt would only repeat it.
    assertSearched(sources !== null || finish === 'truncated', failure, cost);
    return composeAnswer({
      text,
      json: call.responseFormat && plainText,
      marks,
      numbersAreWords,
      ...PERPLEXITY_MARKERS,
      sources: sources ?? [],
      cost,
      finish,
      upstreamRequestId: id,
      servedModel,
    });
  };

  return { answer: respond, stream: respond };
}

type TierField = 'effort' | 'preset';

/** How requests name a level of effort. */
interface TierOptions {
  /** `undefined`: whichever name the API takes. */
  readonly tierField?: TierField | undefined;
  readonly tierModel: string | null;
}

/**
 * Sends questions to the Agent API. Its documents call a level of effort `effort` (docs.perplexity.ai/docs/agent-api/effort, read 2026-11-22);
 * its SDKs up to 2026-08 say `preset`. The API refuses unknown fields with a 400. After a 400 that names the field, the request is repeated with the other
 * name, in the same attempt and within its deadline. Later requests use the name that worked.
 *
 * @param ask sends a body; asks for a stream if `live` is given.
 */
function perplexityRequests<R>(
  ask: (body: object, context: CallContext, live?: LiveParts) => Promise<R>,
  { tierField, tierModel }: TierOptions,
) {
  let known: TierField = tierField ?? 'effort';
  return async (call: ProviderQuestion, context: CallContext, live: LiveParts | undefined): Promise<R> => {
    const { slug } = call.model;
    const common = commonBody(call);
    if (slug === SONAR)
      return ask({ model: SONAR, ...common, ...promptOf(call), ...forcedSearch(call) }, context, live);
    const field = known;
    const level = slug.slice('perplexity/'.length);
    const model = tierModel === null ? {} : { model: tierModel };
    const askAs = (name: TierField) => ask({ [name]: level, ...model, ...common }, context, live);
    try {
      return await askAs(field);
    } catch (error) {
      if (tierField !== undefined || !isRefused(field, error)) throw error;
      const other = field === 'effort' ? 'preset' : 'effort';
      const reply = await askAs(other);
      known = other;
      return reply;
    }
  };
}

function isRefused(field: TierField, error: unknown): boolean {
  return isUpstreamError(error) && error.status === 400 && new RegExp(`\\b${field}\\b`).test(error.detail);
}

/** The API refuses unknown fields, so requests have only the fields they need. */
function commonBody(call: ProviderQuestion): object {
  const { name = '', ...format } = call.responseFormat ?? {};
  // A name of letters and digits alone; sources come apart from the text, whatever its form (docs.perplexity.ai, read 2026-11-27).
  const json_schema = { name: name.replaceAll(/[^a-z\d]/gi, '') || 'answer', ...format };
  const form = call.responseFormat && { response_format: { type: 'json_schema', json_schema } };
  return { input: inputOf(call), store: false, ...form };
}

/** More than Sonar writes. The largest value that Perplexity takes is not documented. */
const MAX_OUTPUT_TOKENS = 8_192;

/**
 * Only of Sonar: instructions would replace the prompt of a level of effort, which has its rules of searching and citing (docs.perplexity.ai/docs/agent-api/prompt-guide),
 * and whether a limit holds for each of its steps is not documented (read 2026-11-29).
 */
function promptOf(call: ProviderQuestion): object {
  const { instructions, maxOutputTokens } = call;
  return { instructions, ...(maxOutputTokens && { max_output_tokens: outputLimit(call, MAX_OUTPUT_TOKENS) }) };
}

/** Without a tool, Sonar does not search; with a tool but no `tool_choice`, Sonar may not search. */
function forcedSearch({ search }: ProviderQuestion): object {
  return { tools: [webSearchTool(search)], tool_choice: { type: 'web_search' } };
}
