import { isLedgerError, type LedgerReason } from '../base/errors/ledger-error.js';
import type { MaybePromise } from '../base/options/open-state.js';
import type { Clock } from '../base/time/clock.js';
import { backoffMs } from '../base/time/retry.js';

export interface BackgroundRetryDeps<W> {
  readonly clock: Clock;
  /** Has to be idempotent: a failed attempt may have taken effect. */
  attempt(work: W): MaybePromise<unknown>;
  /** Whether another attempt cannot help. @param tries how many attempts were made, this attempt included. */
  isPermanent(error: unknown, tries: number, work: W): boolean;
  /** Default 20, about a quarter of an hour. */
  readonly maxAttempts?: number | undefined;
  /** The longest pause. Default a minute. */
  readonly maxPauseMs?: number | undefined;
  /** The work was done, at once or later. Must not throw. */
  done?: ((work: W) => unknown) | undefined;
  failed(work: W, failure: FailedTry): void;
  /** The work was done after having failed before. */
  recovered(work: W, attempts: number): void;
}

export interface FailedTry {
  readonly error: unknown;
  readonly attempts: number;
  /** No more attempts follow. */
  readonly final: boolean;
}

interface Pending<W> {
  readonly work: W;
  attempts: number;
  cancelTimer(): void;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** About a quarter of an hour. A hold that is given up then ends by its expiry; an event has told the operator. */
const MAX_ATTEMPTS = 20;
const MAX_PENDING = 10_000;
/** Only this process retries a piece of work, so retries need no jitter. */
const NO_JITTER = (): number => 1;
const NO_TIMER = (): void => undefined;

/**
 * Errors about the hold, the claim or the arguments: a retry cannot help. Any other error may pass, such as `schema_mismatch` while a new version starts;
 * giving up on it would leave answers uncharged.
 */
const FINAL: ReadonlySet<LedgerReason> = new Set<LedgerReason>([
  'unknown_hold',
  'invalid_amount',
  'invalid_id',
  'invalid_argument',
  'invalid_cursor',
]);

/** Whether another attempt to end a hold or a claim cannot help. */
export function isFinal(error: unknown): boolean {
  return isLedgerError(error) && FINAL.has(error.reason);
}

/** Retries work in the background until it succeeds or the limit is reached, with growing pauses, bounded in time and number. */
export function createBackgroundRetry<W>(deps: BackgroundRetryDeps<W>) {
  const { maxAttempts = MAX_ATTEMPTS, maxPauseMs = MAX_RETRY_MS } = deps;
  const backoff = { firstDelayMs: FIRST_RETRY_MS, factor: 2, longestDelayMs: maxPauseMs };
  const pending = new Set<Pending<W>>();
  let closing = false;
  let waiting = 0;

  function attempt(item: Pending<W>): MaybePromise<void> {
    item.attempts += 1;
    try {
      const trying = deps.attempt(item.work);
      if (trying instanceof Promise) {
        pending.add(item);
        return trying.then(
          () => succeeded(item),
          (error: unknown) => failed(item, error),
        );
      }
      succeeded(item);
    } catch (error) {
      failed(item, error);
    }
  }

  function succeeded(item: Pending<W>): void {
    leave(item);
    deps.done?.(item.work);
    if (item.attempts > 1) deps.recovered(item.work, item.attempts);
  }

  function failed(item: Pending<W>, error: unknown): void {
    const { work, attempts } = item;
    const final =
      deps.isPermanent(error, attempts, work) || closing || attempts >= maxAttempts || pending.size > MAX_PENDING;
    deps.failed(work, { error, attempts, final });
    if (final) {
      leave(item);
      return;
    }
    pending.add(item);
    if (attempts === 1) waiting += 1;
    const delayMs = backoffMs(attempts - 1, backoff, NO_JITTER);
    item.cancelTimer = deps.clock.schedule(delayMs, () => void attempt(item), 'background');
  }

  function leave(item: Pending<W>): void {
    pending.delete(item);
    if (item.attempts > 1) waiting -= 1;
  }

  return {
    /** Makes the first attempt. Ends when the attempt is over, also when it failed; never throws, never rejects. */
    run: (work: W): MaybePromise<void> => attempt({ work, attempts: 0, cancelTimer: NO_TIMER }),
    /** Attempts all remaining work once more and stops. A failure is final then. */
    async close(): Promise<void> {
      closing = true;
      for (const item of pending) item.cancelTimer();
      await Promise.all([...pending].map(async (item) => attempt(item)));
    },
    /** The number of pieces of work that have failed and will be attempted again. */
    get waiting() {
      return waiting;
    },
  };
}
