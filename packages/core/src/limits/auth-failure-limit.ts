import { LRUCache } from 'lru-cache';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import { createLookupTurns } from './lookup-turns.js';

const MINUTE_MS = 60_000;

/**
 * A leaky bucket: failures fill it, time drains it. An attempt under way may still fail, so one that has been let in keeps room for a failure until
 * it has ended.
 */
class FailureBucket {
  /** How many fit in, and how many a minute drains. */
  readonly #failuresPerMinute: number;
  readonly #clock: Clock;
  #failures = 0;
  /** Of the monotonic clock: when `#failures` was right. */
  #atMs: number;
  #attempts = 0;

  constructor(failuresPerMinute: number, clock: Clock) {
    this.#failuresPerMinute = failuresPerMinute;
    this.#clock = clock;
    this.#atMs = clock.monotonic();
  }

  /** Whether a new bucket would do as well. */
  get isUnused(): boolean {
    return this.#failures === 0 && this.#attempts === 0;
  }

  /** Lets an attempt in where there is room for its failure. @returns whether it did; `end` has to follow then. */
  begin(): boolean {
    if (this.#excess() > 0) return false;
    this.#attempts += 1;
    return true;
  }

  end(): void {
    this.#attempts -= 1;
  }

  /** Counts a failure. @param hasRoom whether `begin` has kept room for it. @returns what to say instead where there is none: `auth_rate_limited`. */
  fail(hasRoom: boolean): RequestError | undefined {
    const excess = this.#excess();
    if (!hasRoom && excess > 0) {
      const retryAfterMs = (excess * MINUTE_MS) / this.#failuresPerMinute;
      return new RequestError('auth_rate_limited', { retryAfterMs });
    }
    this.#failures += 1;
    return undefined;
  }

  /** By how much one more failure would be too many. */
  #excess(): number {
    this.#drain();
    return this.#failures + this.#attempts + 1 - this.#failuresPerMinute;
  }

  #drain(): void {
    const nowMs = this.#clock.monotonic();
    const drained = ((nowMs - this.#atMs) * this.#failuresPerMinute) / MINUTE_MS;
    this.#failures = Math.max(0, this.#failures - drained);
    this.#atMs = nowMs;
  }
}

/** Limits how many attempts to authenticate may fail in each group of callers. An error with a status of 401 is a failure. */
export interface AuthFailureLimit {
  /**
   * Runs an attempt. It runs at once where its group has room for a failure, else when it is its turn: so a caller who does not fail is
   * let in, whatever others do.
   *
   * @throws RequestError `auth_rate_limited` instead of a failure that has no room; `overloaded` after too long a wait, or where too many wait.
   */
  run<T>(group: string, attempt: () => Promise<T>): Promise<T>;
  /** Counts a failure that has cost nothing. @returns what to throw: the error itself, or `auth_rate_limited` where it has no room. */
  refuse(group: string, error: unknown): unknown;
}

export interface AuthFailureLimitOptions {
  readonly failuresPerMinute: number;
  /** Longest wait for a turn. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A caller with more networks than this can make its oldest failures be forgotten. */
const MAX_GROUPS = 10_000;

export function createAuthFailureLimit(options: AuthFailureLimitOptions): AuthFailureLimit {
  const { failuresPerMinute, clock } = options;
  // As in cachedApiKeys: with `max`, all of its memory would be taken now.
  const buckets = new LRUCache<string, FailureBucket>({ maxSize: MAX_GROUPS, sizeCalculation: () => 1 });
  const turns = createLookupTurns(options);

  function bucketOf(group: string): FailureBucket {
    const known = buckets.get(group);
    if (known !== undefined) return known;
    const bucket = new FailureBucket(failuresPerMinute, clock);
    buckets.set(group, bucket);
    return bucket;
  }

  /** Makes room for addresses that have failed. */
  function forget(group: string, bucket: FailureBucket): void {
    if (bucket.isUnused && buckets.peek(group) === bucket) buckets.delete(group);
  }

  return {
    async run(group, attempt) {
      const bucket = bucketOf(group);
      const hasRoom = bucket.begin();
      try {
        return await (hasRoom ? attempt() : turns.run(group, attempt));
      } catch (error) {
        throw isFailure(error) ? (bucket.fail(hasRoom) ?? error) : error;
      } finally {
        if (hasRoom) bucket.end();
        forget(group, bucket);
      }
    },
    refuse: (group, error) => (isFailure(error) ? (bucketOf(group).fail(false) ?? error) : error),
  };
}

function isFailure(error: unknown): boolean {
  return isRequestError(error) && error.status === 401;
}
