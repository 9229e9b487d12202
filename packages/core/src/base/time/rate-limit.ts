/** So many requests in so long: a sliding limit with a burst of all of them. */
export interface RateLimit {
  /** 1 to 1,000,000. */
  readonly requests: number;
  /** 1 to 86,400. */
  readonly periodSeconds: number;
}

export const MAX_REQUESTS = 1_000_000;
export const MAX_PERIOD_SECONDS = 86_400;
export const MAX_CONCURRENT = 1_000_000;

/** What is expected of a rate limit, in the words of an error. */
export const RATE_LIMIT =
  'requests from 1 to 1,000,000 and periodSeconds from 1 to 86,400, both whole numbers, or null';
/** What is expected of a number of calls at once. */
export const MAX_CONCURRENT_WANTED = 'a whole number from 1 to 1,000,000, or null';

/** An object of exactly the two fields. */
export function isRateLimit(value: unknown): value is RateLimit {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { requests, periodSeconds } = value as Partial<Record<string, unknown>>;
  return isCount(requests, MAX_REQUESTS) && isCount(periodSeconds, MAX_PERIOD_SECONDS);
}

export function isMaxConcurrent(value: unknown): value is number {
  return isCount(value, MAX_CONCURRENT);
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** How much of a rate limit was used, in requests, and when that was. It drains evenly: all of it in one period. */
export interface RateState {
  readonly used: number;
  readonly atMs: number;
}

/** Far more than sums of doubles can be off by, far less than a request. */
const ROUNDING = 1e-6;

/**
 * How much of a limit is still used at a moment. The leaky bucket form of GCRA (ITU-T I.371): counted in requests, so that a burst from nothing counts
 * in whole numbers and ends exactly at the limit. Where the clock is set back nothing has drained.
 */
export function rateUsedAt(
  state: RateState | undefined,
  { requests, periodSeconds }: RateLimit,
  nowMs: number,
): number {
  if (state === undefined) return 0;
  const elapsedMs = Math.max(0, nowMs - state.atMs);
  return Math.max(0, state.used - (elapsedMs * requests) / (periodSeconds * 1_000));
}

/** Whether one more request fits. */
export function fitsRate(used: number, { requests }: RateLimit): boolean {
  return used + 1 <= requests + ROUNDING;
}

/** How many more requests fit now. */
export function rateRemaining(used: number, { requests }: RateLimit): number {
  return Math.max(0, Math.floor(requests - used + ROUNDING));
}

/** When the next request fits: 0 for now. Whole milliseconds. */
export function msUntilNext(used: number, limit: RateLimit): number {
  return fitsRate(used, limit) ? 0 : Math.ceil(msOf(used + 1 - limit.requests - ROUNDING, limit));
}

/** When nothing of the limit is used any more. Whole milliseconds. */
export function msUntilFull(used: number, limit: RateLimit): number {
  return Math.ceil(msOf(used, limit));
}

/** How long it takes until so many requests have drained. */
function msOf(used: number, { requests, periodSeconds }: RateLimit): number {
  return (used * periodSeconds * 1_000) / requests;
}
