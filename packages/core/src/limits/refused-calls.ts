import { LRUCache } from 'lru-cache';
import { RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import { fitsRate, msUntilNext, type RateLimit, type RateState, rateUsedAt } from '../base/time/rate-limit.js';

/** Limits the refused calls of each key: reading and checking a body costs the process time, and the caller nothing. Served calls take nothing. */
export type RefusedCalls = ReturnType<typeof createRefusedCalls>;

const LIMIT: RateLimit = { requests: 600, periodMs: 60_000 };
/** Oldest refusals are dropped first. */
const MAX_KEYS = 10_000;

export function createRefusedCalls(clock: Pick<Clock, 'monotonic'>) {
  // `maxSize` instead of `max`: `max` allocates all memory now, which slows the start.
  const refused = new LRUCache<string, RateState>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
  const usedBy = (keyId: string) => rateUsedAt(refused.get(keyId), LIMIT, clock.monotonic());

  return {
    /** Before a body is read. @throws RequestError `too_many_refused_calls` while the key has no refusal left. */
    check(keyId: string): void {
      if (refused.size === 0) return;
      const used = usedBy(keyId);
      if (!fitsRate(used, LIMIT))
        throw new RequestError('too_many_refused_calls', { retryAfterMs: msUntilNext(used, LIMIT) });
    },
    /** Counts a refused call. @param error of the call: counts only if the caller could have known. Default: the caller could. */
    count(keyId: string, error?: Pick<RequestError, 'reason' | 'status'>): void {
      if (error !== undefined && !couldBeKnown(error)) return;
      // Calls that were under way together may be more than the limit: none of them makes the wait longer.
      const used = Math.min(usedBy(keyId) + 1, LIMIT.requests);
      refused.set(keyId, { used, atMs: clock.monotonic() });
    },
  };
}

/**
 * Whether the request itself, the key or its money was the reason. Not: limits of rate and concurrency, where trying again is right; this limit, which would
 * never end; callers who hung up, or whose network was slow; providers, and faults of the gateway or its host.
 */
function couldBeKnown({ reason, status }: Pick<RequestError, 'reason' | 'status'>): boolean {
  return status < 500 && !UNFORESEEN_STATUSES.has(status) && !OF_PROVIDERS.has(reason);
}

const UNFORESEEN_STATUSES: ReadonlySet<number> = new Set([408, 429, 499]);
const OF_PROVIDERS: ReadonlySet<string> = new Set(['query_rejected', 'no_answer_found']);
