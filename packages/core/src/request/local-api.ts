import type { CacheMode } from '../answer/answer.js';
import type { ApiKey } from '../auth/api-key.js';
import { type Authenticator, identityOfHost } from '../auth/authenticator.js';
import type { KeyIdentity } from '../auth/key-identity.js';
import { RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { Ledger } from '../ledger/ledger.js';
import type { RoutingPreferences } from '../routing/routing-preferences.js';
import { type AnswerCallDeps, type AnswerCallInput, answerCall, checkIdempotencyKey } from './answer-call.js';
import { type AnswerEvent, AnswerEventQueue } from './answer-events.js';
import { createAnswerFieldsCheck } from './answer-fields.js';
import { type Answer, replyValue, usd } from './answer-reply.js';
import { createNamesCheck, createPlaces } from './field-names.js';
import { createRequestLifecycle, type LifecycleDeps, type RequestHandler } from './handle-request-lifecycle.js';
import { type KeyStandingDeps, type RateStanding, readKeyStanding } from './read-key-standing.js';
import { readTotals } from './read-totals.js';
import { isAbortSignal, rejectOnAbort } from './reject-on-abort.js';

/** Who is asking: a bearer token, or an identity the host vouches for. */
export type Caller = string | KeyIdentity;

/** What every call in process takes. */
export interface CallOptions {
  readonly apiKey: Caller;
}

export interface AnswerOptions extends CallOptions {
  /** Slug of an answer model, an alias or a group. */
  readonly model: string;
  /** 1 to `maxQueryCharacters` characters after trimming; sent to the provider as given. */
  readonly query: string;
  /** Default `true`. */
  readonly includeCitations?: boolean | undefined;
  /** What the search is narrowed down to. A model that cannot honor all of it is refused with `unsupported_option`. */
  readonly search?: SearchOptions | null | undefined;
  /** Which models may answer, in which order, and at what price at the most. */
  readonly routing?: RoutingPreferences | null | undefined;
  /** Your own word for what the call is for, such as a team: usage is summed up by it. 1 to 64 characters that are printed; default none. */
  readonly tag?: string | null | undefined;
  /** 1 to 255 printable ASCII characters: repeated calls get the first one's answer at no cost, as with `Idempotency-Key` over HTTP. */
  readonly idempotencyKey?: string | undefined;
  /**
   * What is wanted of answers that were kept: `'refresh'` for a new one, which is kept, `'off'` for a new one that is not kept either. Nothing
   * where the gateway keeps none. Default: an answer that was kept is as good as a new one.
   */
  readonly cache?: CacheMode | undefined;
  /**
   * Says that the caller no longer waits. The promise rejects at once with `client_closed_request`. No further attempt is begun; the attempt
   * under way is finished and charged, as over HTTP.
   */
  readonly signal?: AbortSignal | undefined;
}

/** USD of the whole organization; amounts held by calls in flight are in neither. */
export interface Credits {
  readonly totalCredits: number;
  readonly totalUsage: number;
}

/** USD of one key; `null` for no limit. */
export interface KeyUsage {
  readonly label: string;
  /** Of all time. */
  readonly usage: number;
  readonly limit: number | null;
  /** In the present window, where the limit resets. */
  readonly limitRemaining: number | null;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** When it next does, ISO 8601 in UTC such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
  /** Answers in a period, and how many more of them fit now; `null` for no limit. */
  readonly rateLimit: RateStanding | null;
  /** Most answers under way at once; `null` for no limit. */
  readonly maxConcurrent: number | null;
}

/** The endpoints without HTTP: same authentication, same pipeline, same errors and events, for the host's own code. */
export interface LocalApi {
  /** @throws RequestError */
  answer(options: AnswerOptions): Promise<Answer>;
  /**
   * The same answer while it comes: `start`, `citations` and `delta`s, then `done`, or `error` where it breaks off after `start`. An error
   * before `start` is thrown. The call is made when the first event is asked for; leaving the loop early lets it run to its end, and be charged.
   *
   * @throws RequestError
   */
  answerStream(options: AnswerOptions): AsyncIterable<AnswerEvent>;
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
}

export function createLocalApi(deps: LocalApiDeps): LocalApi {
  const run = createRequestLifecycle(deps);
  const answer = answerOperation(deps);
  const stream: RequestHandler<StreamOptions, Answer> = { ...answer, respond: streamResponder(deps) };
  const credits = creditsOperation(deps);
  const key = keyOperation(deps);

  return {
    answer(options) {
      const call = run(answer, options);
      return isAbortSignal(options.signal) ? rejectOnAbort(call, options.signal) : call;
    },
    answerStream: (options) => ({
      [Symbol.asyncIterator]() {
        const queue = new AnswerEventQueue(deps.clock);
        const begin = () => {
          const call = run(stream, { ...options, queue });
          return isAbortSignal(options.signal) ? rejectOnAbort(call, options.signal) : call;
        };
        return queue.iterate(begin);
      },
    }),
    credits: (options) => run(credits, options),
    key: (options) => run(key, options),
  };
}

/** What all three have in common. */
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

function answerOperation(deps: LocalApiDeps): RequestHandler<AnswerOptions, Answer> {
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

/** What differs where the answer is wanted while it comes. */
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

function isDisconnected({ signal }: AnswerOptions): boolean {
  return signal?.aborted === true;
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
    const { model, query, includeCitations, search, routing, tag, signal, cache } = options;
    const idempotencyKey = checkIdempotencyKey(options.idempotencyKey);
    const fields = checkFields({ model, query, includeCitations, search, routing, tag, stream: undefined });
    if (signal !== undefined && !isAbortSignal(signal)) throw wrongOption('signal', 'must be an AbortSignal');
    if (!CACHE_MODES.includes(cache)) throw wrongOption('cache', 'must be "refresh" or "off"');
    return { fields, idempotencyKey, cache, isDisconnected: () => isDisconnected(options) };
  };
}

const OPTIONS = [
  'apiKey',
  'model',
  'query',
  'includeCitations',
  'search',
  'routing',
  'tag',
  'idempotencyKey',
  'cache',
  'signal',
] as const satisfies readonly (keyof AnswerOptions)[];
const CACHE_MODES: readonly (CacheMode | undefined)[] = [undefined, 'refresh', 'off'];

function wrongOption(path: string, message: string): RequestError {
  return new RequestError('invalid_field', { param: path, details: { issues: [{ path, message }] } });
}

function creditsOperation(deps: LocalApiDeps): RequestHandler<CallOptions, Credits> {
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

function keyOperation(deps: LocalApiDeps): RequestHandler<CallOptions, KeyUsage> {
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
