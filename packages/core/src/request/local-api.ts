import type { CacheMode } from '../answer/answer.js';
import type { ApiKey } from '../auth/api-key.js';
import { type Authenticator, identityOfHost } from '../auth/authenticator.js';
import type { KeyIdentity } from '../auth/key-identity.js';
import { RequestError } from '../base/errors/request-error.js';
import type { ResponseFormat } from '../base/json-format.js';
import type { Message } from '../base/message.js';
import type { NanoUsd } from '../base/money.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { Ledger } from '../ledger/ledger.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';
import { type AnswerCallDeps, type AnswerCallInput, answerCall, checkIdempotencyKey } from './answer-call.js';
import { type AnswerEvent, AnswerEventQueue } from './answer-events.js';
import { createAnswerFieldsCheck } from './answer-fields.js';
import {
  type Answer,
  bodyOf,
  type EmbedReply,
  type ExtractReply,
  type RerankReply,
  replyValue,
  type SearchReply,
  usd,
} from './answer-reply.js';
import {
  embedFieldsReader,
  extractFieldsReader,
  type FieldsForm,
  type ReadFields,
  rerankFieldsReader,
  searchFieldsReader,
} from './capability-fields.js';
import { createNamesCheck, createPlaces } from './field-names.js';
import { createRequestLifecycle, type LifecycleDeps, type RequestHandler } from './handle-request-lifecycle.js';
import { type KeyStandingDeps, type RateStanding, readKeyStanding } from './read-key-standing.js';
import { readTotals } from './read-totals.js';
import { isAbortSignal, rejectOnAbort } from './reject-on-abort.js';

/** The caller: a bearer token, or an identity that the host has authenticated. */
export type Caller = string | KeyIdentity;

/** Options of every call in process. */
export interface CallOptions {
  readonly apiKey: Caller;
}

/** What every call of a model in process takes. */
interface ModelCallOptions extends CallOptions {
  /** Which models may answer, in which order, and at which highest price. */
  readonly routing?: RoutingPreferences | null | undefined;
  /** Your label for the call, such as a team; usage is summed per tag. 1 to 64 printable characters. Default: no tag. */
  readonly tag?: string | null | undefined;
  /** 1 to 255 printable ASCII characters. Repeated calls get the first call's answer at no cost, as with `Idempotency-Key` over HTTP. */
  readonly idempotencyKey?: string | undefined;
  /**
   * `'refresh'` asks for a new answer and caches it; `'off'` asks for a new answer and does not cache it. No effect when the gateway has no
   * cache. Default: a cached answer may be used.
   */
  readonly cache?: CacheMode | undefined;
  /**
   * Abort it when you no longer wait. The promise then rejects at once with `client_closed_request`. No further attempt begins; the attempt
   * in flight is finished and charged, as over HTTP.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface AnswerOptions extends ModelCallOptions {
  /** Slug of an answer model, an alias or a group. */
  readonly model: string;
  /** 1 to `maxQueryCharacters` characters after trimming; sent to the provider as given. Either `query` or `messages`. */
  readonly query?: string | undefined;
  /**
   * A conversation: 1 to 32 messages of user and assistant by turns, the question last, together as long as a query. A model without the feature
   * `multi_turn` is refused with `unsupported_option` where there are earlier messages.
   */
  readonly messages?: readonly Message[] | null | undefined;
  /** The form of the answer. A model without the feature `json_schema` is refused with `unsupported_option`. Default: text. */
  readonly responseFormat?: ResponseFormat | null | undefined;
  /** Default `true`. */
  readonly includeCitations?: boolean | undefined;
  /** Filters of the search. A model that does not support all of them is refused with `unsupported_option`. */
  readonly search?: SearchOptions | null | undefined;
}

export interface SearchCallOptions extends ModelCallOptions {
  /** Slug of a search model, an alias or a group. Default: `endpoints.search.defaultModel`. */
  readonly model?: string | undefined;
  /** As for answers. */
  readonly query: string;
  /** 1 to 100. Above 10, models that give fewer are refused with `unsupported_option`. Default 10. */
  readonly maxResults?: number | null | undefined;
  /** Whether the text of each page is wanted; models with the feature `content` can. Default `false`. */
  readonly includeContent?: boolean | null | undefined;
  /** As for answers. */
  readonly search?: SearchOptions | null | undefined;
}

export interface ExtractCallOptions extends ModelCallOptions {
  /** Slug of an extract model, an alias or a group. Default: `endpoints.extract.defaultModel`. */
  readonly model?: string | undefined;
  /** 1 to 20 public http(s) addresses without credentials. */
  readonly urls: readonly string[];
  /** Default `markdown`. */
  readonly format?: 'markdown' | 'text' | null | undefined;
  /** Longest text of a page, 1,000 to 1,000,000 characters. Default 200,000. */
  readonly maxCharacters?: number | null | undefined;
}

export interface RerankCallOptions extends ModelCallOptions {
  /** Slug of a rerank model, an alias or a group. Default: `endpoints.rerank.defaultModel`. */
  readonly model?: string | undefined;
  /** As for answers. */
  readonly query: string;
  /** 1 to 1,000 texts, none empty. */
  readonly documents: readonly (string | { readonly text: string })[];
  /** How many documents come back. Default: all. */
  readonly topN?: number | null | undefined;
}

export interface EmbedCallOptions extends ModelCallOptions {
  /** Slug or alias of an embedding model. Default: `endpoints.embeddings.defaultModel`. */
  readonly model?: string | undefined;
  /** A text, or 1 to 2,048 texts, none empty. */
  readonly input: string | readonly string[];
  /** The form of a vector: numbers, or base64 of little-endian floats of 32 bits. Default `float`. */
  readonly encodingFormat?: 'float' | 'base64' | null | undefined;
  /** The length of a vector, for models with the feature `dimensions_param`. Default: that of the model. */
  readonly dimensions?: number | null | undefined;
  /** The role of the texts, for models with the feature `input_type`; others ignore it. */
  readonly inputType?: 'query' | 'document' | null | undefined;
}

/** Amounts of the whole organization in USD. Neither includes money held by calls in flight. */
export interface Credits {
  readonly totalCredits: number;
  readonly totalUsage: number;
}

/** Amounts of one key in USD; `null` for no limit. */
export interface KeyUsage {
  readonly label: string;
  /** Of all time. */
  readonly usage: number;
  readonly limit: number | null;
  /** In the current window, if the limit resets. */
  readonly limitRemaining: number | null;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** The next reset, ISO 8601 in UTC such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
  /** The rate limit, and how many more answers fit now; `null` for no limit. */
  readonly rateLimit: RateStanding | null;
  /** Most answers in flight at once; `null` for no limit. */
  readonly maxConcurrent: number | null;
}

/** The endpoints as functions for the host's own code, with the same authentication, pipeline, errors and events as over HTTP. */
export interface LocalApi {
  /** @throws RequestError */
  answer(options: AnswerOptions): Promise<Answer>;
  /**
   * Streams the answer: `start`, `citations` and `delta`s, then `done`, or `error` when the answer breaks off after `start`. An error
   * before `start` is thrown. The call starts when the first event is read. If you leave the loop early, the call still runs to its end and is charged.
   *
   * @throws RequestError
   */
  answerStream(options: AnswerOptions): AsyncIterable<AnswerEvent>;
  /** Finds pages, as `POST /search` does. The body of its response, whatever `endpoints.search` is. @throws RequestError */
  search(options: SearchCallOptions): Promise<SearchReply>;
  /** Reads pages, as `POST /extract` does. The body of its response. @throws RequestError */
  extract(options: ExtractCallOptions): Promise<ExtractReply>;
  /** Sorts documents by relevance, as `POST /rerank` does. The body of its response. @throws RequestError */
  rerank(options: RerankCallOptions): Promise<RerankReply>;
  /** Makes vectors of texts, as `POST /embeddings` does. The body of its response. @throws RequestError */
  embed(options: EmbedCallOptions): Promise<EmbedReply>;
  /** @throws RequestError */
  credits(options: CallOptions): Promise<Credits>;
  /** @throws RequestError */
  key(options: CallOptions): Promise<KeyUsage>;
}

export interface LocalApiDeps extends LifecycleDeps, AnswerCallDeps, KeyStandingDeps {
  readonly authenticator: Authenticator;
  readonly admission: LifecycleDeps['admission'] & AnswerCallDeps['admission'];
  readonly ledger: Pick<Ledger, 'organizationTotals' | 'keyTotals' | 'ratesUsed'>;
  readonly maxQueryCharacters: number;
  /** The default model and the limits of each kind of call that is no question. */
  readonly forms: Readonly<Record<CapabilityEndpoint, Omit<FieldsForm, 'nameOf' | 'otherFields'>>>;
}

export function createLocalApi(deps: LocalApiDeps): LocalApi {
  const run = createRequestLifecycle(deps);
  const answer = answerHandler(deps);
  const stream: RequestHandler<StreamOptions, Answer> = { ...answer, respond: streamResponder(deps) };
  const search = capabilityHandler<SearchCallOptions, SearchReply>(deps, 'search', searchFieldsReader);
  const extract = capabilityHandler<ExtractCallOptions, ExtractReply>(deps, 'extract', extractFieldsReader);
  const rerank = capabilityHandler<RerankCallOptions, RerankReply>(deps, 'rerank', rerankFieldsReader);
  const embed = capabilityHandler<EmbedCallOptions, EmbedReply>(deps, 'embeddings', embedFieldsReader);
  const credits = creditsHandler(deps);
  const key = keyHandler(deps);

  function abortable<T>(call: Promise<T>, { signal }: ModelCallOptions): Promise<T> {
    return isAbortSignal(signal) ? rejectOnAbort(call, signal) : call;
  }

  return {
    answer: (options) => abortable(run(answer, options), options),
    search: (options) => abortable(run(search, options), options),
    extract: (options) => abortable(run(extract, options), options),
    rerank: (options) => abortable(run(rerank, options), options),
    embed: (options) => abortable(run(embed, options), options),
    answerStream: (options) => ({
      [Symbol.asyncIterator]() {
        const queue = new AnswerEventQueue(deps.clock);
        return queue.iterate(() => abortable(run(stream, { ...options, queue }), options));
      },
    }),
    credits: (options) => run(credits, options),
    key: (options) => run(key, options),
  };
}

/** The common part of all handlers. */
function inProcess({ authenticator, logger }: LocalApiDeps) {
  return {
    check: () => undefined,
    authenticate: async ({ apiKey }: CallOptions): Promise<ApiKey> =>
      typeof apiKey === 'string' ? authenticator.byToken(apiKey) : identityOfHost(apiKey, logger),
    refuse(error: RequestError): never {
      throw error;
    },
    statusOf: () => 200,
    isDisconnected: () => false,
    clientRequestId: () => null,
  };
}

function answerHandler(deps: LocalApiDeps): RequestHandler<AnswerOptions, Answer> {
  const inputOf = answerInput(deps);
  return {
    ...inProcess(deps),
    name: 'answer',
    async respond(options, call) {
      deps.callers.check(call.apiKey, call.trace);
      return replyValue(await answerCall(deps, call, { ...inputOf(options), listener: null }));
    },
    isDisconnected,
  };
}

/** The `respond` of streamed answers. */
function streamResponder(deps: LocalApiDeps): RequestHandler<StreamOptions, Answer>['respond'] {
  const inputOf = answerInput(deps);
  return async (options, call) => {
    deps.callers.check(call.apiKey, call.trace);
    const { queue } = options;
    queue.call = call;
    return replyValue(await answerCall(deps, call, { ...inputOf(options), listener: queue }));
  };
}

interface StreamOptions extends AnswerOptions {
  readonly queue: AnswerEventQueue;
}

function isDisconnected({ signal }: ModelCallOptions): boolean {
  return signal?.aborted === true;
}

type CapabilityEndpoint = 'search' | 'extract' | 'rerank' | 'embeddings';

function capabilityHandler<Options extends ModelCallOptions, Reply extends object>(
  deps: LocalApiDeps,
  name: CapabilityEndpoint,
  reader: (form: FieldsForm) => ReadFields,
): RequestHandler<Options, Reply> {
  const nameOf = (field: string) => field;
  const read = reader({ ...deps.forms[name], nameOf, otherFields: CALL_OPTIONS });
  return {
    ...inProcess(deps),
    name,
    async respond(options, call) {
      deps.callers.check(call.apiKey, call.trace);
      const fields = read(options as unknown as Readonly<Record<string, unknown>>);
      const given = callInput(options);
      return bodyOf(await answerCall(deps, call, { fields, ...given, listener: null })) as Reply;
    },
    isDisconnected,
  };
}

/** Checks what every call of a model takes besides its fields. */
function callInput(options: ModelCallOptions): Pick<AnswerCallInput, 'idempotencyKey' | 'cache' | 'isDisconnected'> {
  const { signal, cache } = options;
  const idempotencyKey = checkIdempotencyKey(options.idempotencyKey);
  if (signal !== undefined && !isAbortSignal(signal)) throw wrongOption('signal', 'must be an AbortSignal');
  if (!CACHE_MODES.includes(cache)) throw wrongOption('cache', 'must be "refresh" or "off"');
  return { idempotencyKey, cache, isDisconnected: () => isDisconnected(options) };
}

/** Builds the check of a call's options. */
function answerInput({
  maxQueryCharacters,
}: LocalApiDeps): (options: AnswerOptions) => Omit<AnswerCallInput, 'listener'> {
  const nameOf = (field: string) => field;
  const checkNames = createNamesCheck({ fields: OPTIONS, nameOf, placeOf: createPlaces(nameOf) });
  const checkFields = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  return (options) => {
    checkNames(options);
    const { model, query, messages, responseFormat, includeCitations, search, routing, tag } = options;
    const fields = checkFields({ model, query, messages, responseFormat, includeCitations, search, routing, tag });
    return { fields, ...callInput(options) };
  };
}

/** What calls take besides their fields. */
const CALL_OPTIONS = [
  'apiKey',
  'idempotencyKey',
  'cache',
  'signal',
] as const satisfies readonly (keyof AnswerOptions)[];
const OPTIONS = [
  ...CALL_OPTIONS,
  'model',
  'query',
  'messages',
  'responseFormat',
  'includeCitations',
  'search',
  'routing',
  'tag',
] as const satisfies readonly (keyof AnswerOptions)[];
const CACHE_MODES: readonly (CacheMode | undefined)[] = [undefined, 'refresh', 'off'];

function wrongOption(path: string, message: string): RequestError {
  return new RequestError('invalid_field', { param: path, details: { issues: [{ path, message }] } });
}

function creditsHandler(deps: LocalApiDeps): RequestHandler<CallOptions, Credits> {
  const { ledger, logger } = deps;
  return {
    ...inProcess(deps),
    name: 'credits',
    async respond(_options, { apiKey }) {
      const { credits, usage } = await readTotals(ledger.organizationTotals(apiKey.organizationId), logger);
      return { totalCredits: usd(credits), totalUsage: usd(usage) };
    },
  };
}

function keyHandler(deps: LocalApiDeps): RequestHandler<CallOptions, KeyUsage> {
  return {
    ...inProcess(deps),
    name: 'key',
    async respond(_options, { apiKey }) {
      const { usage, remaining, limitReset, resetsAt, rateLimit, maxConcurrent } = await readKeyStanding(deps, apiKey);
      const limits = { limit: usdOrNull(apiKey.limit), limitRemaining: usdOrNull(remaining), limitReset, resetsAt };
      return { label: apiKey.label, usage: usd(usage), ...limits, rateLimit, maxConcurrent };
    },
  };
}

function usdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : usd(amount);
}
