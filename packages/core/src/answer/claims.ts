import { errorMessage } from '../errors/error-message.js';
import { RequestError } from '../errors/request-error.js';
import type { EventStream } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import type {
  Claim,
  ClaimRequest,
  ClaimResult,
  IdempotencyStore,
  StoredResponse,
} from '../ledger/idempotency-store.js';
import type { Clock } from '../time/clock.js';
import { createBackgroundRetry, type FailedTry, isFinal } from './background-retry.js';

/** The claims of `Idempotency-Key`s of calls in flight: taken before a call spends anything, and always ended. */
export interface Claims {
  /**
   * Takes a name for a call. @returns what an earlier call under this name was answered; `null` when this is the first one.
   * @throws RequestError `idempotency_in_progress`, `idempotency_key_reused` or `ledger_unavailable`.
   */
  take(request: ClaimRequest): Promise<StoredResponse | null>;
  /**
   * Keeps the response for repeated calls. Never rejects: when the store fails, it is retried in the background. An answer that has been
   * paid for is never withheld.
   */
  complete(claim: Claim, response: StoredResponse, requestId: string): Promise<void>;
  /** Gives the name back, so that the call can be made again. Never rejects, like {@link complete}. */
  free(claim: Claim, requestId: string): Promise<void>;
  /** Tries every ending that is left once more and stops. Claims that cannot be ended even then expire. */
  close(): Promise<void>;
}

export interface ClaimsDeps {
  readonly store: IdempotencyStore;
  /** How long responses are replayed. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

interface ClaimToEnd {
  readonly claim: Claim;
  /** `null` to give the name back. */
  readonly response: StoredResponse | null;
  readonly requestId: string;
}

const RETRY_AFTER_MS = 1_000;

export function createClaims({ store, keepMs, clock, events, logger }: ClaimsDeps): Claims {
  const lost = new Error('the claim had expired before its call ended');
  const endings = createBackgroundRetry<ClaimToEnd>({
    clock,
    attempt: end,
    isPermanent: (error) => error === lost || isFinal(error),
    failed: report,
    recovered({ requestId }, attempts) {
      events.emit({ type: 'idempotency_recovered', atMs: clock.now(), requestId, attempts });
    },
  });

  async function end({ claim, response }: ClaimToEnd): Promise<void> {
    if (response === null) await store.free(claim);
    else if (!(await store.complete(claim, response, clock.now() + keepMs))) throw lost;
  }

  function report({ response, requestId }: ClaimToEnd, { error, attempts, final }: FailedTry): void {
    const operation = response === null ? 'free' : 'complete';
    logger.error({ error, requestId, operation, final }, 'the idempotency store could not end a claim');
    const atMs = clock.now();
    events.emit({
      type: 'idempotency_failed',
      atMs,
      requestId,
      operation,
      attempt: attempts,
      final,
      error: errorMessage(error),
    });
  }

  return {
    async take(request) {
      const result = await place(store, request, logger);
      if (result.status === 'claimed') return null;
      if (result.status === 'finished') return result.response;
      if (result.status === 'mismatch') throw new RequestError('idempotency_key_reused');
      throw new RequestError('idempotency_in_progress', { retryAfterMs: RETRY_AFTER_MS });
    },
    complete: (claim, response, requestId) => endings.run({ claim, response, requestId }),
    free: (claim, requestId) => endings.run({ claim, response: null, requestId }),
    close: () => endings.close(),
  };
}

async function place(store: IdempotencyStore, request: ClaimRequest, logger: Logger): Promise<ClaimResult> {
  try {
    return await store.claim(request);
  } catch (error) {
    logger.error({ error }, 'the idempotency store failed to claim');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
}
