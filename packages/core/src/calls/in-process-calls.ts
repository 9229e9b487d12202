import type { ApiKey } from '../auth/api-key.js';
import { type Authenticator, identityOfHost } from '../auth/authenticator.js';
import type { KeyIdentity } from '../auth/key-identity.js';
import { RequestError } from '../errors/request-error.js';
import type { Ledger } from '../ledger/ledger.js';
import type { NanoUsd } from '../money/money.js';
import type { SearchOptions } from '../search-options/search-options.js';
import type { LimitReset } from '../time/limit-window.js';
import { type AnswerCallDeps, answerCall, checkIdempotencyKey } from './answer-call.js';
import { createAnswerFieldsCheck } from './answer-fields.js';
import { type Answer, replyValue, usd } from './answer-reply.js';
import { readKeySpending } from './read-key-spending.js';
import { readTotals } from './read-totals.js';
import { isAbortSignal, rejectOnAbort } from './reject-on-abort.js';
import { createCallRunner, type Operation, type RunCallDeps } from './run-call.js';

/** Who is asking: a bearer token, or an identity the host vouches for. */
export type Caller = string | KeyIdentity;

/** What every call in process takes. */
export interface CallOptions {
  readonly apiKey: Caller;
}

export interface AnswerOptions extends CallOptions {
  /** Slug of an answer model, or an alias. */
  readonly model: string;
  /** 1 to `maxQueryCharacters` characters after trimming; sent to the provider as given. */
  readonly query: string;
  /** Default `true`. */
  readonly includeCitations?: boolean | undefined;
  /** What the search is narrowed down to. A model that cannot honor all of it is refused with `unsupported_option`. */
  readonly search?: SearchOptions | null | undefined;
  /** 1 to 255 printable ASCII characters: repeated calls get the first one's answer at no cost, as with `Idempotency-Key` over HTTP. */
  readonly idempotencyKey?: string | undefined;
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
}

/** The endpoints without HTTP: same authentication, same pipeline, same errors and events, for the host's own code. */
export interface InProcessCalls {
  /** @throws RequestError */
  answer(options: AnswerOptions): Promise<Answer>;
  /** @throws RequestError */
  credits(options: CallOptions): Promise<Credits>;
  /** @throws RequestError */
  key(options: CallOptions): Promise<KeyUsage>;
}

export interface InProcessDeps extends RunCallDeps, AnswerCallDeps {
  readonly authenticator: Authenticator;
  readonly admission: RunCallDeps['admission'] & AnswerCallDeps['admission'];
  readonly ledger: Pick<Ledger, 'organizationTotals' | 'keyTotals'>;
  readonly maxQueryCharacters: number;
}

export function createInProcessCalls(deps: InProcessDeps): InProcessCalls {
  const run = createCallRunner(deps);
  const answer = answerOperation(deps);
  const credits = creditsOperation(deps);
  const key = keyOperation(deps);

  return {
    answer(options) {
      const call = run(answer, options);
      return isAbortSignal(options.signal) ? rejectOnAbort(call, options.signal) : call;
    },
    credits: (options) => run(credits, options),
    key: (options) => run(key, options),
  };
}

/** What all three have in common. */
function inProcess({ authenticator, logger }: InProcessDeps) {
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

function answerOperation(deps: InProcessDeps): Operation<AnswerOptions, Answer> {
  const checkFields = createAnswerFieldsCheck(deps.maxQueryCharacters, (field) => field);
  const isDisconnected = ({ signal }: AnswerOptions) => signal?.aborted === true;
  return {
    ...inProcess(deps),
    name: 'answer',
    async respond(options, call) {
      const { model, query, includeCitations, search, signal } = options;
      const idempotencyKey = checkIdempotencyKey(options.idempotencyKey);
      const fields = checkFields({ model, query, includeCitations, search });
      if (signal !== undefined && !isAbortSignal(signal)) throw notASignal();
      const input = { fields, idempotencyKey, isDisconnected: () => isDisconnected(options) };
      return replyValue(await answerCall(deps, call, input));
    },
    isDisconnected,
  };
}

function notASignal(): RequestError {
  const issues = [{ path: 'signal', message: 'must be an AbortSignal' }];
  return new RequestError('invalid_field', { param: 'signal', details: { issues } });
}

function creditsOperation(deps: InProcessDeps): Operation<CallOptions, Credits> {
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

function keyOperation(deps: InProcessDeps): Operation<CallOptions, KeyUsage> {
  return {
    ...inProcess(deps),
    name: 'key',
    async respond(_options, { apiKey }) {
      const { usage, remaining, limitReset, resetsAt } = await readKeySpending(deps, apiKey);
      const limits = { limit: usdOrNull(apiKey.limit), limitRemaining: usdOrNull(remaining), limitReset, resetsAt };
      return { label: apiKey.label, usage: usd(usage), ...limits };
    },
  };
}

function usdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : usd(amount);
}
