import { LRUCache } from 'lru-cache';
import { isRequestError } from '../errors/request-error.js';
import type { Clock } from '../time/clock.js';
import { createTimeLimit } from '../time/time-limit.js';
import { FailureBucket } from './failure-bucket.js';

/** Limits how many attempts to authenticate may fail in each group of callers. */
export interface AuthFailureLimit {
  /**
   * Runs an attempt. One that rejects with a status of 401 counts as a failure. No more of a group run at once than failures are left to it;
   * the others wait for their turn.
   *
   * @throws RequestError `auth_rate_limited` when no failure is left; `overloaded` after a wait of `timeoutMs`, or where too many wait.
   */
  run<T>(group: string, attempt: () => Promise<T>): Promise<T>;
}

export interface AuthFailureLimitOptions {
  readonly failuresPerMinute: number;
  /** Longest wait for other attempts of the group. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A caller with more networks than this can make its oldest failures be forgotten. */
const MAX_GROUPS = 10_000;

export function createAuthFailureLimit(options: AuthFailureLimitOptions): AuthFailureLimit {
  const { failuresPerMinute, timeoutMs, clock } = options;
  // As in cachedApiKeys: with `max`, all of its memory would be taken now.
  const buckets = new LRUCache<string, FailureBucket>({ maxSize: MAX_GROUPS, sizeCalculation: () => 1 });
  const turns = createTimeLimit(clock, timeoutMs);

  function bucketOf(group: string): FailureBucket {
    const known = buckets.get(group);
    if (known !== undefined) return known;
    const bucket = new FailureBucket({ failuresPerMinute, clock, turns });
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
      await bucket.begin();
      let hasFailed = false;
      try {
        return await attempt();
      } catch (error) {
        hasFailed = isRequestError(error) && error.status === 401;
        throw error;
      } finally {
        bucket.end(hasFailed);
        forget(group, bucket);
      }
    },
  };
}
