import type { AnswerCitation, AnswerResult, RequestTrace } from '../answer/answer.js';
import type { Answers } from '../answer/run-answer.js';
import type { ApiKey } from '../auth/api-key.js';
import { type Authenticator, identityOfHost } from '../auth/authenticator.js';
import type { KeyIdentity } from '../auth/key-identity.js';
import { isRequestError } from '../errors/request-error.js';
import type { EventStream } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import { readKeySpending } from '../http/read-key-spending.js';
import { readTotals } from '../http/read-totals.js';
import { answerFieldsParser } from '../http/wire-schemas.js';
import type { IdSource } from '../ids/ids.js';
import type { Ledger } from '../ledger/ledger.js';
import { formatUsd, type NanoUsd } from '../money/money.js';
import type { Clock } from '../time/clock.js';
import type { LimitReset } from '../time/limit-window.js';
import type { Admission } from './admission.js';

/** Who is asking: a bearer token, or an identity the host vouches for. */
export type Caller = string | KeyIdentity;

export interface AnswerOptions {
  readonly apiKey: Caller;
  /** Slug of an answer model, or an alias. */
  readonly model: string;
  /** 1 to `maxQueryCharacters` characters after trimming; sent to the provider as given. */
  readonly query: string;
  /** Default `true`. */
  readonly includeCitations?: boolean | undefined;
}

/** The same answer the HTTP endpoint gives. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  readonly answer: string;
  /** Present exactly when they were wanted. */
  readonly citations?: readonly AnswerCitation[] | undefined;
  /** USD, what was charged. */
  readonly usage: { readonly cost: number };
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
  /** How often the limit starts afresh; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** When it next does, ISO 8601 in UTC such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
}

export interface InProcessDeps {
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly ledger: Ledger;
  readonly answers: Answers;
  readonly maxQueryCharacters: number;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly events: EventStream;
  readonly logger: Logger;
}

export interface InProcessCalls {
  answer(options: AnswerOptions): Promise<Answer>;
  credits(caller: Caller): Promise<Credits>;
  key(caller: Caller): Promise<KeyUsage>;
}

interface Admitted {
  readonly key: ApiKey;
  readonly result: AnswerResult;
}

/** The endpoints without HTTP: same authentication, same pipeline, same errors, for the host's own code. */
export function createInProcessCalls(deps: InProcessDeps): InProcessCalls {
  const parseFields = answerFieldsParser(deps.maxQueryCharacters);

  async function runAdmitted(options: AnswerOptions, trace: RequestTrace): Promise<Admitted> {
    const { admission, answers } = deps;
    admission.begin();
    try {
      const apiKey = await authenticate(deps, options.apiKey);
      // The endpoint's own check, under the endpoint's field names.
      const { model, query, includeCitations: include_citations } = options;
      const fields = parseFields({ model, query, include_citations });
      const plan = answers.plan({ apiKey, ...fields, isDisconnected: () => false }, trace);
      admission.answers.take(apiKey.organizationId);
      try {
        return { key: apiKey, result: await answers.run(plan, trace) };
      } finally {
        admission.answers.free(apiKey.organizationId);
      }
    } finally {
      admission.end();
    }
  }

  return {
    async answer(options) {
      const trace = newTrace(deps);
      const startMs = deps.clock.monotonic();
      const finish = (key: ApiKey | null, error: unknown): void =>
        emitFinished(deps, { trace, startMs, key, error, model: options.model });
      try {
        const { key, result } = await runAdmitted(options, trace);
        finish(key, null);
        return present(result);
      } catch (error) {
        finish(null, error);
        throw error;
      }
    },
    async credits(caller) {
      const { organizationId } = await authenticate(deps, caller);
      const { credits, usage } = await readTotals(deps.ledger.organizationTotals(organizationId), deps.logger);
      return { totalCredits: usd(credits), totalUsage: usd(usage) };
    },
    async key(caller) {
      const key = await authenticate(deps, caller);
      const { usage, remaining, limitReset, resetsAt } = await readKeySpending(deps, key);
      const limits = { limit: usdOrNull(key.limit), limitRemaining: usdOrNull(remaining), limitReset, resetsAt };
      return { label: key.label, usage: usd(usage), ...limits };
    },
  };
}

async function authenticate({ authenticator, logger }: InProcessDeps, caller: Caller): Promise<ApiKey> {
  return typeof caller === 'string' ? authenticator.byToken(caller) : identityOfHost(caller, logger);
}

function present({ id, model, provider, answer, citations, cost }: AnswerResult): Answer {
  return { id, model, provider, answer, ...(citations === null ? {} : { citations }), usage: { cost: usd(cost) } };
}

function usd(amount: NanoUsd): number {
  return Number(formatUsd(amount));
}

function usdOrNull(amount: NanoUsd | null): number | null {
  return amount === null ? null : usd(amount);
}

function newTrace({ clock, newId }: InProcessDeps): RequestTrace {
  return {
    requestId: `req_${newId(clock.now())}`,
    model: null,
    provider: null,
    cost: null,
    attempts: 0,
    upstreamMs: 0,
  };
}

interface Finished {
  readonly trace: RequestTrace;
  readonly startMs: number;
  readonly key: ApiKey | null;
  readonly error: unknown;
  readonly model: string;
}

function emitFinished({ events, clock }: InProcessDeps, { trace, startMs, key, error, model }: Finished): void {
  events.emit({
    type: 'request_finished',
    atMs: clock.now(),
    requestId: trace.requestId,
    clientRequestId: null,
    endpoint: 'answer',
    status: error === null ? 200 : isRequestError(error) ? error.status : 500,
    reason: error === null ? null : isRequestError(error) ? error.reason : 'internal_error',
    replayed: false,
    keyId: key?.id ?? null,
    organizationId: key?.organizationId ?? null,
    requestedModel: typeof model === 'string' ? model : null,
    model: trace.model,
    provider: trace.provider,
    cost: trace.cost,
    attempts: trace.attempts,
    durationMs: clock.monotonic() - startMs,
    upstreamMs: trace.upstreamMs,
  });
}
