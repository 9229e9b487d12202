import type { ApiKey } from '../auth/api-key.js';
import { type Authenticator, identityOfHost } from '../auth/authenticator.js';
import { RequestError } from '../base/errors/request-error.js';
import type { ResponseFormat } from '../base/json-format.js';
import type { Message } from '../base/message.js';
import type { NanoUsd } from '../base/money.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { AnswerListener } from '../kinds/answer/answer-listener.js';
import { type CacheMode, type CallOptions, HEADER_OPTIONS, type ModelCallOptions } from '../kinds/call-options.js';
import type { FieldsForm, ListedKind } from '../kinds/kind.js';
import { KINDS, type KindCalls, type KindName } from '../kinds/kinds.js';
import { type AnswerEvent, AnswerEventQueue } from './answer-events.js';
import { createAnswerFieldsCheck, questionNames } from './answer-fields.js';
import { type Answer, bodyOf, replyValue, usd } from './answer-reply.js';
import {
  checkIdempotencyKey,
  type HandleAnswerDeps,
  type HandleAnswerInput,
  handleAnswer,
  questionFields,
} from './handle-answer.js';
import { createRequestLifecycle, type LifecycleDeps, type RequestHandler } from './handle-request-lifecycle.js';
import { kindFieldsReader } from './kind-fields.js';
import type { BudgetSpending, Spending } from './read-key-spending.js';
import { type KeyStandingDeps, type RateStanding, readKeyStanding } from './read-key-standing.js';
import { readTotals } from './read-totals.js';
import { isAbortSignal, rejectOnAbort } from './reject-on-abort.js';

/** A question in process. */
export interface AnswerOptions extends ModelCallOptions {
  /** Slug of an answer model, an alias or a group. */
  readonly model: string;
  /** 1 to `maxQueryCharacters` characters after trimming; sent to the provider as given. Either `query` or `messages`. @default none */
  readonly query?: string | undefined;
  /**
   * A conversation: 1 to 32 messages of user and assistant by turns, the question last, together as long as a query. A model without the feature
   * `multi_turn` is refused with `unsupported_option` where there are earlier messages.
   *
   * @default none
   */
  readonly messages?: readonly Message[] | null | undefined;
  /** The form of the answer. A model without the feature `json_schema` is refused with `unsupported_option`. @default text */
  readonly responseFormat?: ResponseFormat | null | undefined;
  /**
   * How to answer, 1 to 32,000 characters: a system text. A model without the feature `instructions` is refused with `unsupported_option`.
   *
   * @default none
   */
  readonly instructions?: string | null | undefined;
  /**
   * The longest answer in tokens, at least 1. An answer that reaches it is charged, and has `truncated: true`. A model without the feature
   * `max_output_tokens` is refused with `unsupported_option`.
   *
   * @default no limit but that of the model
   */
  readonly maxOutputTokens?: number | null | undefined;
  /** @default `true` */
  readonly includeCitations?: boolean | undefined;
  /** Filters of the search. A model that does not support all of them is refused with `unsupported_option`. @default no limits */
  readonly search?: SearchOptions | null | undefined;
}

/** Amounts of the whole organization in USD. Neither includes money held by calls in flight. */
export interface Credits {
  /** USD granted so far. */
  readonly totalCredits: number;
  /** USD of all time. */
  readonly totalUsage: number;
}

/** Amounts of one key in USD; `null` for no limit. */
export interface KeyUsage {
  /** Of the key, for people. */
  readonly label: string;
  /** Of all time. */
  readonly usage: number;
  /** USD that the key may spend, of all time or in each window; `null` for no limit. */
  readonly limit: number | null;
  /** In the current window, if the limit resets. */
  readonly limitRemaining: number | null;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** The next reset, ISO 8601 in UTC such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
  /** The rate limit, and how many more calls fit now; `null` for no limit. */
  readonly rateLimit: RateStanding | null;
  /** Most calls in flight at once; `null` for no limit. */
  readonly maxConcurrent: number | null;
  /** The further budgets that the key counts in. */
  readonly budgets: readonly BudgetUsage[];
  /**
   * What leaves the key the least money: `key_limit`, `budget:` with the id of a budget, or `organization_credits`. Budgets that only warn are left out.
   * `null` where nothing refuses.
   */
  readonly boundBy: string | null;
}

/** What was spent of a budget by all its keys together. Amounts are as in a {@link KeyUsage}. */
interface BudgetUsage extends Pick<KeyUsage, 'usage' | 'limit' | 'limitRemaining' | 'limitReset' | 'resetsAt'> {
  /** Unique within the organization. */
  readonly id: string;
  /** `warn` for a budget that refuses nothing. */
  readonly mode: BudgetSpending['mode'];
}

/** The endpoints as functions for the host's own code, with the same authentication, pipeline, errors and events as over HTTP. */
export interface LocalApi extends KindCalls {
  /** @throws RequestError */
  answer(options: AnswerOptions): Promise<Answer>;
  /**
   * Streams the answer: `start`, `citations` and `delta`s, then `done`, or `error` when the answer breaks off after `start`. An error
   * before `start` is thrown. The call starts when the first event is read. If you leave the loop early, the call still runs to its end and is charged.
   *
   * @throws RequestError
   */
  answerStream(options: AnswerOptions): AsyncIterable<AnswerEvent>;
  /** @throws RequestError */
  credits(options: CallOptions): Promise<Credits>;
  /** @throws RequestError */
  key(options: CallOptions): Promise<KeyUsage>;
}

export interface LocalApiDeps extends LifecycleDeps, HandleAnswerDeps, KeyStandingDeps {
  readonly authenticator: Authenticator;
  readonly admission: LifecycleDeps['admission'] & HandleAnswerDeps['admission'];
  readonly ledger: KeyStandingDeps['ledger'];
  readonly maxQueryCharacters: number;
  /** The default model and the limits of each kind of call but answers. */
  readonly forms: Readonly<Record<KindName, Omit<FieldsForm, 'nameOf' | 'otherFields'>>>;
}

export function createLocalApi(deps: LocalApiDeps): LocalApi {
  const run = createRequestLifecycle(deps);
  const answer = answerHandler(deps);
  const stream: RequestHandler<StreamedAnswerOptions, Answer> = { ...answer, respond: streamResponder(deps) };
  const credits = creditsHandler(deps);
  const key = keyHandler(deps);

  function kindCalls(): KindCalls {
    const calls = Object.entries(KINDS).map(([name, kind]) => {
      const handler = kindHandler(deps, name as KindName, kind);
      return [kind.port, (options: ModelCallOptions) => call(handler, options)];
    });
    return Object.fromEntries(calls) as KindCalls;
  }

  function call<Options extends CallOptions, T>(handler: RequestHandler<Options, T>, options: Options): Promise<T> {
    // A host in JavaScript may forget them.
    const given = (options as Options | undefined) ?? ({} as Options);
    const { signal } = given as ModelCallOptions;
    const running = run(handler, given);
    return isAbortSignal(signal) ? rejectOnAbort(running, signal) : running;
  }

  return {
    answer: (options) => call(answer, options),
    ...kindCalls(),
    answerStream: (options) => ({
      [Symbol.asyncIterator]() {
        const queue = new AnswerEventQueue(deps.clock);
        return queue.iterate(() => call(stream, { ...options, queue }));
      },
    }),
    credits: (options) => call(credits, options),
    key: (options) => call(key, options),
  };
}

const NO_KEY = 'In process, give the option apiKey: a token, or { id, organizationId }.';

/** The common part of all handlers. */
function inProcess({ authenticator, logger }: LocalApiDeps) {
  return {
    check: () => undefined,
    async authenticate({ apiKey }: CallOptions): Promise<ApiKey> {
      if (!(apiKey as unknown)) throw new RequestError('missing_api_key', { param: 'apiKey', note: NO_KEY });
      return typeof apiKey === 'string' ? authenticator.byToken(apiKey) : identityOfHost(apiKey, logger, 'apiKey');
    },
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
    async respond(options, state) {
      deps.callers.check(state.apiKey, state.context);
      return replyValue(await handleAnswer(deps, state, inputOf(options, null)));
    },
    isDisconnected,
  };
}

/** The `respond` of streamed answers. */
function streamResponder(deps: LocalApiDeps): RequestHandler<StreamedAnswerOptions, Answer>['respond'] {
  const inputOf = answerInput(deps);
  return async ({ queue, ...options }, state) => {
    deps.callers.check(state.apiKey, state.context);
    queue.state = state;
    return replyValue(await handleAnswer(deps, state, inputOf(options, queue)));
  };
}

interface StreamedAnswerOptions extends AnswerOptions {
  readonly queue: AnswerEventQueue;
}

function isDisconnected({ signal }: ModelCallOptions): boolean {
  return signal?.aborted === true;
}

function kindHandler(deps: LocalApiDeps, name: KindName, kind: ListedKind): RequestHandler<ModelCallOptions, object> {
  const nameOf = (field: string) => field;
  const read = kindFieldsReader(kind, { ...deps.forms[name], nameOf, otherFields: CALL_OPTIONS });
  return {
    ...inProcess(deps),
    name,
    async respond(options, state) {
      deps.callers.check(state.apiKey, state.context);
      const fields = read(options as unknown as Readonly<Record<string, unknown>>);
      return bodyOf(await handleAnswer(deps, state, { fields, ...callInput(options) }));
    },
    isDisconnected,
  };
}

/** Checks what every call of a model takes besides its fields. */
function callInput(options: ModelCallOptions): Pick<HandleAnswerInput, 'idempotencyKey' | 'cache' | 'isDisconnected'> {
  const { signal, cache } = options;
  const idempotencyKey = checkIdempotencyKey(options.idempotencyKey);
  if (signal !== undefined && !isAbortSignal(signal)) throw wrongOption('signal', 'must be an AbortSignal');
  if (!CACHE_MODES.includes(cache)) throw wrongOption('cache', 'must be "refresh" or "off"');
  return { idempotencyKey, cache, isDisconnected: () => isDisconnected(options) };
}

/** Builds the check of a call's options. */
function answerInput({ maxQueryCharacters }: LocalApiDeps) {
  const nameOf = (field: string) => field;
  const { refuseUnknown } = questionNames(nameOf, CALL_OPTIONS);
  const checkFields = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  return (options: AnswerOptions, listener: AnswerListener | null): HandleAnswerInput => {
    refuseUnknown(options);
    return { fields: questionFields(checkFields(options), listener), ...callInput(options) };
  };
}

const CALL_OPTIONS = [...HEADER_OPTIONS, 'signal'] as const satisfies readonly (keyof ModelCallOptions)[];
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
      const { rateLimit, maxConcurrent, budgets, boundBy, ...spending } = await readKeyStanding(deps, apiKey);
      return {
        label: apiKey.label,
        ...shownSpending(apiKey.limit, spending),
        rateLimit,
        maxConcurrent,
        budgets: budgets.map(({ id, mode, limit, ...spent }) => ({ id, mode, ...shownSpending(limit, spent) })),
        boundBy,
      };
    },
  };
}

function shownSpending(limit: NanoUsd | null, { usage, remaining, limitReset, resetsAt }: Spending) {
  const limits = { limit: usdOrNull(limit), limitRemaining: usdOrNull(remaining), limitReset, resetsAt };
  return { usage: usd(usage), ...limits };
}

function usdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : usd(amount);
}
