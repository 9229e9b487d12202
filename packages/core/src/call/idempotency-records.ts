import { errorMessage } from '../base/errors/error-message.js';
import { RequestError } from '../base/errors/request-error.js';
import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { MaybePromise } from '../base/options/open-state.js';
import type { Clock } from '../base/time/clock.js';
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  type IdempotencyStore,
  nameOf,
  type StoredResponse,
} from '../ledger/idempotency-store.js';
import { createBackgroundRetry, type FailedTry, isFinal } from './background-retry.js';

/** The claims of `Idempotency-Key`s of calls in flight. A call takes its claim before it spends anything; every claim is completed or freed. */
export type IdempotencyRecords = ReturnType<typeof createIdempotencyRecords>;

export interface RecordsDeps {
  readonly store: IdempotencyStore;
  /** How long responses are replayed. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

interface ClaimToEnd {
  readonly claim: Claim;
  /** `null` to free the name. */
  readonly response: StoredResponse | null;
  readonly requestId: string;
  isErased?: boolean;
  /** When retries stop. A response is not replayed after this time. */
  readonly untilMs: number;
}

const RETRY_AFTER_MS = 1_000;
/** Short: until the store has the response, another process may find the name free and make the call again. */
const MOST_PAUSE_MS = 10_000;
/** The claim has expired by then, so it need not be freed. */
const FREE_WITHIN_MS = 15 * 60_000;
/** Most characters of responses that wait for the store. Above it, a response that the store refuses is not retried. */
const MOST_WAITING = 32 * 1_024 * 1_024;

const LOST = 'the name is finished, or claimed for another request';

export function createIdempotencyRecords(deps: RecordsDeps) {
  const { store, keepMs, clock, events, logger } = deps;
  const lost = new Error(LOST);
  /** Completions that the store has not confirmed. */
  const waiting = new Map<string, ClaimToEnd & { readonly response: StoredResponse }>();
  let waitingSize = 0;
  const endings = createBackgroundRetry<ClaimToEnd>({
    clock,
    attempt: end,
    isPermanent: (error, _tries, { untilMs }) =>
      error === lost || isFinal(error) || clock.now() >= untilMs || waitingSize > MOST_WAITING,
    maxAttempts: Number.POSITIVE_INFINITY,
    maxPauseMs: MOST_PAUSE_MS,
    done: forget,
    failed: report,
    recovered({ requestId }, attempts) {
      events.emit({ type: 'idempotency_recovered', atMs: clock.now(), requestId, attempts });
    },
  });

  async function end({ claim, response, untilMs, isErased = false }: ClaimToEnd): Promise<void> {
    if (response === null) await store.free(claim);
    else if (isErased || !(await store.complete(claim, response, untilMs))) throw lost;
  }

  function complete(claim: Claim, response: StoredResponse, requestId: string): MaybePromise<void> {
    const work = { claim, response, requestId, untilMs: clock.now() + keepMs };
    waiting.set(nameOf(claim), work);
    waitingSize += response.body.length;
    return endings.run(work);
  }

  function forget({ claim, response }: ClaimToEnd): void {
    if (response === null) return;
    waitingSize -= response.body.length;
    if (waiting.get(nameOf(claim))?.claim === claim) waiting.delete(nameOf(claim));
  }

  /** The result for a name whose response this process still has to write to the store. */
  function waitingFor(request: ClaimRequest): ClaimResult | undefined {
    const work = waiting.get(nameOf(request));
    if (work === undefined || work.isErased || work.untilMs <= request.nowMs) return undefined;
    return work.claim.fingerprint === request.fingerprint
      ? { status: 'finished', response: work.response }
      : { status: 'mismatch' };
  }

  function report(work: ClaimToEnd, { error, attempts, final }: FailedTry): void {
    if (final) forget(work);
    const operation = work.response === null ? 'free' : 'complete';
    const failure = { requestId: work.requestId, operation, final } as const;
    logger.error({ error, ...failure }, 'the idempotency store could not end a claim');
    const atMs = clock.now();
    events.emit({ type: 'idempotency_failed', atMs, ...failure, attempt: attempts, error: errorMessage(error) });
  }

  return {
    /**
     * Claims a name for a call. @returns the response of an earlier call with this name, even if the store has not kept the response yet; `null` for the
     * first call.
     * @throws RequestError `idempotency_in_progress`, `idempotency_key_reused` or `ledger_unavailable`.
     */
    async take(request: ClaimRequest): Promise<StoredResponse | null> {
      return responseOf(waitingFor(request) ?? (await place(store, request, logger)));
    },
    /**
     * Keeps the response for repeated calls. Never rejects, because a paid answer is never withheld: when the store fails, this process answers repeated
     * calls, and retries in the background for as long as the response may be replayed.
     */
    complete,
    /**
     * Keeps the response, or rejects, so that nothing is charged for it: for a response that must be there before its charge.
     * @throws RequestError `answer_too_large` where a store has forgotten it at once.
     */
    keep: (claim: Claim, response: StoredResponse) => keep({ store, keepMs, clock }, claim, response),
    /** Frees the name, so that the call can be made again. Never rejects; retries in the background. */
    free: (claim: Claim, requestId: string) =>
      endings.run({ claim, response: null, requestId, untilMs: clock.now() + FREE_WITHIN_MS }),
    /** Removes the responses of an organization, also those that wait for the store. @returns how many names the store had. */
    async erase(organizationId: string): Promise<number> {
      for (const work of waiting.values()) if (work.claim.organizationId === organizationId) work.isErased = true;
      return (await store.erase?.(organizationId)) ?? 0;
    },
    /** Tries all remaining endings once more and stops. Claims whose ending still fails expire. */
    close: () => endings.close(),
  };
}

/** `null` for a claim. @throws RequestError for a name that cannot be claimed. */
function responseOf(result: ClaimResult): StoredResponse | null {
  if (result.status === 'claimed') return null;
  if (result.status === 'finished') return result.response;
  if (result.status === 'mismatch') throw new RequestError('idempotency_key_reused');
  throw new RequestError('idempotency_in_progress', { retryAfterMs: RETRY_AFTER_MS });
}

async function place(store: IdempotencyStore, request: ClaimRequest, logger: Logger): Promise<ClaimResult> {
  try {
    return await store.claim(request);
  } catch (error) {
    logger.error({ error }, 'the idempotency store failed to claim');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
}

async function keep(deps: Pick<RecordsDeps, 'store' | 'keepMs' | 'clock'>, claim: Claim, response: StoredResponse) {
  const { store, keepMs, clock } = deps;
  const nowMs = clock.now();
  if (!(await store.complete(claim, response, nowMs + keepMs))) throw new Error(LOST);
  // A store whose memory is small forgets a long response at once.
  const { status } = await store.claim({ ...claim, nowMs, expiresAtMs: nowMs + RETRY_AFTER_MS });
  if (status !== 'finished') throw new RequestError('answer_too_large');
}
