import type { RateLimit } from '@searchgate/core/ledger';

/** Limits of a key or an organization; `null` for none of its own. */
interface CallerLimits {
  readonly rateLimit?: RateLimit | null | undefined;
  readonly maxConcurrent?: number | null | undefined;
}

/** The limits that are wanted otherwise than they are found. What is not named stays as it is. */
export function changedLimits(wanted: CallerLimits, found: CallerLimits): CallerLimits {
  const { rateLimit, maxConcurrent } = wanted;
  return {
    ...(rateLimit === undefined || isSameRate(rateLimit, found.rateLimit) ? {} : { rateLimit }),
    ...(maxConcurrent === undefined || maxConcurrent === (found.maxConcurrent ?? null) ? {} : { maxConcurrent }),
  };
}

function isSameRate(one: RateLimit | null, other: RateLimit | null | undefined): boolean {
  return one?.requests === other?.requests && one?.periodMs === other?.periodMs;
}
