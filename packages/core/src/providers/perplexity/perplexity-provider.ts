import { z } from 'zod';
import { isUpstreamError } from '../../base/errors/upstream-error.js';
import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { bearer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type {
  AnswerAdapter,
  AnswerCall,
  AnswerContext,
  AnswerOutcome,
  LiveAnswer,
  Provider,
} from '../../provider-kit/provider.js';
import {
  type Connection,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { optionalAmount } from '../../provider-kit/reply-fields.js';
import { agentReply } from './perplexity-agent-reply.js';
import { PERPLEXITY_MARKERS, perplexityLive, reducePerplexityStream } from './perplexity-live.js';
import { PERPLEXITY_MODELS, SONAR, withoutRates } from './perplexity-models.js';
import type { PerplexityReply } from './perplexity-reply.js';
import { webSearchTool } from './perplexity-search.js';

/** Where Perplexity differs from the common meaning of statuses (docs.perplexity.ai, read 2026-11-20). */
const PERPLEXITY_ERRORS: ErrorTable = [
  // An account out of credit has come as a 401 that is not about the key, and may come as a 429 (low confidence: reported in the
  // past, not seen again since).
  { status: [401, 403, 429], code: /insufficient_quota|insufficient_credit/i, reason: 'upstream_quota_exhausted' },
  {
    status: [401, 403, 429],
    message: /insufficient (?:quota|credit|balance)|out of credits?/i,
    reason: 'upstream_quota_exhausted',
  },
  // The only part of the request that can be too large is the query.
  { status: 413, reason: 'query_rejected' },
  // A tool server behind Perplexity failed.
  { status: 424, reason: 'upstream_error' },
];

/**
 * A reply of Sonar Chat Completions, ended 2026-09-27 and reshaped into the Agent API since: read in case the new address, or a
 * proxy before it, answers in the old shape.
 */
const chatReply = chatCompletion
  .extend({
    usage: z
      .object({ cost: z.object({ total_cost: optionalAmount }).nullish().catch(null) })
      .nullish()
      .catch(null),
  })
  .transform(({ usage, ...reply }): PerplexityReply => {
    const { text, citations, searchResults } = readChatCompletion(reply);
    const hasSearched = citations !== null || searchResults !== null;
    return {
      id: reply.id,
      model: reply.model,
      finishReason: chatFinish(reply),
      text,
      // Markers count `citations`; titles and snippets come by the same url.
      sources: hasSearched ? [...(citations ?? []), ...(searchResults ?? [])] : null,
      cost: outcomeCost(usage?.cost?.total_cost),
    };
  });

export interface PerplexitySettings extends ProviderSettings {
  /**
   * The request field that names a level of effort. Perplexity's documents call it `effort` (2026-11-22), its SDKs up to 2026-08 `preset`.
   * Default: `effort`, and `preset` once Perplexity has refused `effort` by name. A field that is set is the only one tried.
   */
  readonly tierField?: 'effort' | 'preset' | undefined;
  /**
   * The model behind the levels of effort. The default, `perplexity/sonar`, keeps prompts with Perplexity; `null` leaves the choice
   * to Perplexity, which then hands prompts to OpenAI or Anthropic (2026-10) at their prices.
   */
  readonly tierModel?: string | null | undefined;
}

const perplexitySettings = z.strictObject({
  ...commonSettings('https://api.perplexity.ai', PERPLEXITY_MODELS),
  tierField: z.enum(['effort', 'preset'], 'effort or preset').optional(),
  tierModel: z
    .string('<provider>/<model> or null')
    .regex(/^[\w.-]+\/[\w.-]+$/, '<provider>/<model> or null')
    .nullable()
    .default(SONAR),
});

/**
 * Perplexity (perplexity.ai), by its Agent API. Requests per second depend on the account's tier: from 1 to 33 at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function perplexity(settings: PerplexitySettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(perplexitySettings, settings, 'perplexity');
  return {
    id: 'perplexity',
    name: 'Perplexity',
    models: models.map((model) => (model.slug === SONAR || options.tierModel === SONAR ? model : withoutRates(model))),
    limits,
    answer: perplexityAnswer(connection, options),
  };
}

/** Asks Perplexity's Agent API, `POST /v1/agent` (as documented 2026-11-22). */
function perplexityAnswer(connection: Connection, options: TierOptions): Required<AnswerAdapter> {
  const ask = jsonEndpoint(connection, {
    path: '/v1/agent',
    authorize: bearer,
    errors: PERPLEXITY_ERRORS,
    reply: z.union([agentReply, chatReply]),
    evidence: ({ finishReason }) => finishReason,
    reduce: reducePerplexityStream,
    streamField: 'stream',
  });
  const request = perplexityRequests(ask, options);

  async function respond(call: AnswerCall, context: AnswerContext, live?: LiveAnswer): Promise<AnswerOutcome> {
    const { body, finish, failure } = await request(call, context, live && perplexityLive(live));
    const { id, text, marks, numbersAreWords, sources, cost, model: servedModel } = body;
    assertComplete({ finish, failure }, cost);
    // Even a forced search is left out now and then (seen 2026-09). One that ran and found nothing is the base of an answer without
    // citations, which another attempt would only repeat.
    assertSearched(sources !== null, failure, cost);
    return composeAnswer({
      text,
      marks,
      numbersAreWords,
      ...PERPLEXITY_MARKERS,
      sources: sources ?? [],
      cost,
      upstreamRequestId: id,
      servedModel,
    });
  }

  return { answer: respond, stream: respond };
}

type TierField = 'effort' | 'preset';

/** How levels of effort are asked for. */
interface TierOptions {
  /** `undefined`: the name that the API takes. */
  readonly tierField?: TierField | undefined;
  readonly tierModel: string | null;
}

/**
 * Sends questions to the Agent API. Its documents call a level of effort `effort` (docs.perplexity.ai/docs/agent-api/effort, read 2026-11-22);
 * its SDKs up to 2026-08 say `preset`. The API refuses fields it does not know with a 400. A 400 that names the field is followed by one more
 * request with the other name, in the same attempt and within its deadline. The name that worked is used from then on.
 *
 * @param ask sends one body, for a stream where there is someone to hand it to.
 */
function perplexityRequests<R>(
  ask: (body: object, context: AnswerContext, live?: LiveParts) => Promise<R>,
  { tierField, tierModel }: TierOptions,
) {
  let known: TierField = tierField ?? 'effort';
  return async (call: AnswerCall, context: AnswerContext, live: LiveParts | undefined): Promise<R> => {
    const { slug } = call.model;
    const common = commonBody(call);
    if (slug === SONAR) return ask({ model: SONAR, ...common, ...forcedSearch(call) }, context, live);
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

/** The API refuses fields it does not know, so nothing is sent that is not needed. */
function commonBody({ query }: AnswerCall): object {
  return { input: query, store: false };
}

/** A bare model does not search, and one that is merely offered the tool may not use it. */
function forcedSearch({ search }: AnswerCall): object {
  return { tools: [webSearchTool(search)], tool_choice: { type: 'web_search' } };
}
