import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/time/clock.js';
import { fitsRate, type RateLimit, type RateState, rateUsedAt } from '../base/time/rate-limit.js';
import type { AdmissionRefused } from '../ledger/ledger.js';
import type { AnswerRequest } from './answer.js';
import type { CallerLimits } from './caller-limits.js';

/** Remembers callers over a rate limit: this process refuses them until their next request fits, and does not ask the ledger. */
export type RateLimitCache = ReturnType<typeof createRateLimitCache>;

type Caller = Pick<AnswerRequest['apiKey'], 'id' | 'organizationId'>;

interface KnownRefusal {
  /** When the limit has changed, the ledger is asked again. */
  readonly limit: RateLimit;
  /** By the monotonic clock. */
  readonly state: RateState;
}

/** The oldest refusals are dropped first. A dropped refusal only costs one more request to the ledger. */
const MAX_KNOWN = 10_000;

export function createRateLimitCache(clock: Pick<Clock, 'monotonic'>) {
  // `maxSize` instead of `max`: `max` allocates all memory now, which slows the start.
  const room = { maxSize: MAX_KNOWN, sizeCalculation: () => 1 };
  const known = {
    key: new LRUCache<string, KnownRefusal>(room),
    organization: new LRUCache<string, KnownRefusal>(room),
  };

  function usedOf(scope: keyof typeof known, id: string, limit: RateLimit | null | undefined): number | null {
    const refusal = limit == null ? undefined : known[scope].get(id);
    if (limit == null || refusal === undefined) return null;
    const isSame = refusal.limit.requests === limit.requests && refusal.limit.periodMs === limit.periodMs;
    const used = rateUsedAt(refusal.state, limit, clock.monotonic());
    if (isSame && !fitsRate(used, limit)) return used;
    known[scope].delete(id);
    return null;
  }

  return {
    /** Remembers that the ledger refused a caller for a rate. Refusals for a slot are not kept: a slot may come back at any time. */
    note({ id, organizationId }: Caller, limits: CallerLimits, { by, ratesUsed }: AdmissionRefused): void {
      const scope = by === 'key_rate' ? 'key' : 'organization';
      const limit = by === 'key_rate' ? limits.keyRateLimit : limits.organizationRateLimit;
      const used = ratesUsed?.[scope];
      if ((by !== 'key_rate' && by !== 'organization_rate') || limit == null || used == null) return;
      known[scope].set(scope === 'key' ? id : organizationId, { limit, state: { used, atMs: clock.monotonic() } });
    },
    /** @returns the refusal that the ledger would give; `undefined` when the ledger has to be asked. */
    find(
      { id, organizationId }: Caller,
      { keyRateLimit, organizationRateLimit }: CallerLimits,
    ): AdmissionRefused | undefined {
      const key = usedOf('key', id, keyRateLimit);
      if (key !== null) return { status: 'refused', by: 'key_rate', ratesUsed: { key, organization: null } };
      const organization = usedOf('organization', organizationId, organizationRateLimit);
      if (organization === null) return undefined;
      return { status: 'refused', by: 'organization_rate', ratesUsed: { key: null, organization } };
    },
  };
}
