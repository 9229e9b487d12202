import { LRUCache } from 'lru-cache';
import { isRequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import { FailureBucket } from './failure-bucket.js';
import { createLookupTurns } from './lookup-turns.js';

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
