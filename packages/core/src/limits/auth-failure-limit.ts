import { LRUCache } from 'lru-cache';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { madeIn } from '../base/made-in.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import { fitsRate, msUntilNext, type RateState, rateUsedAt } from '../base/time/rate-limit.js';
import { createFairQueue } from './fair-shares.js';

/** Limits how many attempts to authenticate may fail in each group of callers. An error with status 401 is a failure. */
export interface AuthFailureLimit<Group = string> {
  /**
   * Runs an attempt: at once while its group has room for a failure, else when it is the attempt's turn. So a caller with a valid key gets in,
   * however many others fail.
   *
   * @throws RequestError `auth_rate_limited` in place of a failure beyond the limit; `overloaded` after too long a wait, or when too many wait.
   */
  run<T>(group: Group, attempt: () => Promise<T>): Promise<T>;
  /** Counts a failure that cost no look-up. @returns the error to throw: the same, or `auth_rate_limited` beyond the limit. */
  refuse(group: Group, error: unknown): unknown;
}

export interface AuthFailureLimitOptions {
  readonly failuresPerMinute: number;
  /** Longest wait for a turn. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Failures of one group in a leaky bucket. An attempt under way may still fail, so it keeps room for a failure until it ends. */
interface Bucket {
  failures: RateState | undefined;
  attempts: number;
}

/** A caller with more networks than this can make the gateway forget that caller's oldest failures. */
const newBucket = (): Bucket => ({ failures: undefined, attempts: 0 });
const MAX_GROUPS = 10_000;

export function createAuthFailureLimit(options: AuthFailureLimitOptions): AuthFailureLimit {
  const { failuresPerMinute, clock } = options;
  const limit = { requests: failuresPerMinute, periodMs: 60_000 };
  // With `max` in place of `maxSize`, the cache would take all of its memory now.
  const buckets = new LRUCache<string, Bucket>({ maxSize: MAX_GROUPS, sizeCalculation: () => 1 });
  const turns = createTurns(options);

  const failuresIn = ({ failures }: Bucket) => rateUsedAt(failures, limit, clock.monotonic());

  const bucketOf = (group: string) => madeIn<string, Bucket>(buckets, group, newBucket);

  /** @param hasRoom whether room was kept for this failure. */
  function countFailure(bucket: Bucket, hasRoom: boolean): RequestError | undefined {
    const failures = failuresIn(bucket);
    const used = failures + bucket.attempts;
    if (!hasRoom && !fitsRate(used, limit))
      return new RequestError('auth_rate_limited', { retryAfterMs: msUntilNext(used, limit) });
    bucket.failures = { used: failures + 1, atMs: clock.monotonic() };
    return undefined;
  }

  return {
    async run(group, attempt) {
      const bucket = bucketOf(group);
      const hasRoom = fitsRate(failuresIn(bucket) + bucket.attempts, limit);
      if (hasRoom) bucket.attempts += 1;
      try {
        return await (hasRoom ? attempt() : turns.run(group, attempt));
      } catch (error) {
        throw isFailure(error) ? (countFailure(bucket, hasRoom) ?? error) : error;
      } finally {
        if (hasRoom) bucket.attempts -= 1;
        // The memory is for groups that have failed.
        const isEmpty = bucket.attempts === 0 && failuresIn(bucket) === 0;
        if (isEmpty && buckets.peek(group) === bucket) buckets.delete(group);
      }
    },
    refuse: (group, error) => (isFailure(error) ? (countFailure(bucketOf(group), false) ?? error) : error),
  };
}

function isFailure(error: unknown): boolean {
  return isRequestError(error) && error.status === 401;
}

/** Attempts of groups beyond their limit, of all groups together: most at once, and as many in as many milliseconds (1,000 a second). */
const AT_ONCE = 16;
const TURN_MS = 16;
const MAX_WAITING = { total: 10_000, perGroup: 2_000 };
const RETRY_AFTER_MS = 1_000;

/** Lets attempts begin in turns, so that their cost is bounded and no group takes the turns of another. */
function createTurns({ timeoutMs, clock }: AuthFailureLimitOptions): Pick<AuthFailureLimit, 'run'> {
  const waits = createTimeLimit(clock, timeoutMs, { timedOut: overloaded });
  const queue = createFairQueue<() => void>(MAX_WAITING);
  let underWay = 0;

  function turn(group: string): Promise<void> {
    let begin = (): void => undefined;
    const began = new Promise<void>((resolve, reject) => {
      begin = resolve;
      if (!queue.add(group, begin)) reject(overloaded());
    });
    return waits.wait(began, () => queue.remove(group, begin));
  }

  function end(): void {
    const begin = queue.next();
    if (begin === undefined) underWay -= 1;
    else begin();
  }

  return {
    async run(group, attempt) {
      if (underWay < AT_ONCE) underWay += 1;
      else await turn(group);
      const beganMs = clock.monotonic();
      try {
        return await attempt();
      } finally {
        const restMs = TURN_MS - (clock.monotonic() - beganMs);
        if (restMs > 0) clock.schedule(restMs, end);
        else end();
      }
    },
  };
}

function overloaded(): RequestError {
  return new RequestError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
}
