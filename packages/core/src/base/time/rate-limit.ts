/** At most `requests` in a period, as a leaky bucket: all of them may come at once, and they drain evenly over the period. */
export interface RateLimit {
  /** 1 to 1,000,000. */
  readonly requests: number;
  /** Whole seconds: a multiple of 1,000 from 1,000 to 86,400,000. */
  readonly periodMs: number;
}

/** Limits of a key or an organization. */
export interface AdmissionLimits {
  /** Most calls in a period, such as `{ requests: 60, periodMs: 60_000 }`; absent or `null` for the gateway's default. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** Most concurrent calls; absent or `null` for the gateway's default. */
  readonly maxConcurrent?: number | null | undefined;
}

/** The limits of a key, and of all keys of its organization together. */
export interface KeyLimits extends AdmissionLimits {
  /** Most calls of the whole organization in a period; absent or `null` for the gateway's default. */
  readonly organizationRateLimit?: RateLimit | null | undefined;
  /** Most concurrent calls of the whole organization; absent or `null` for the gateway's default. */
  readonly organizationMaxConcurrent?: number | null | undefined;
}

/** Most `requests` of a rate limit. */
export const MAX_REQUESTS = 1_000_000;
export const MAX_PERIOD_MS = 86_400_000;
export const SECOND_MS = 1_000;
/** Most concurrent calls that a limit can name. */
export const MAX_CONCURRENT = 1_000_000;

/** The expected form of a rate limit, for errors. */
export const RATE_LIMIT =
  'requests from 1 to 1,000,000 and periodMs from 1,000 to 86,400,000 in whole seconds, or null';
/** The expected number of concurrent calls, for errors. */
export const MAX_CONCURRENT_WANTED = 'a whole number from 1 to 1,000,000, or null';

/** An object with exactly the two fields. */
export function isRateLimit(value: unknown): value is RateLimit {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { requests, periodMs } = value as Partial<Record<string, unknown>>;
  return isCount(requests, MAX_REQUESTS) && isCount(periodMs, MAX_PERIOD_MS) && periodMs % SECOND_MS === 0;
}

/** Whether a value is a limit of concurrent calls. */
export function isMaxConcurrent(value: unknown): value is number {
  return isCount(value, MAX_CONCURRENT);
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** The level of the bucket, in requests, at a moment. */
export interface RateState {
  /** In requests and fractions of requests. */
  readonly used: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** Far larger than the rounding error of sums of doubles, far smaller than a request. */
const ROUNDING = 1e-6;

/**
 * The level of the bucket at a later moment. The leaky bucket form of GCRA (ITU-T I.371), counted in requests: a burst into an empty bucket counts in
 * whole numbers and ends exactly at the limit. Nothing drains while the clock is set back.
 */
export function rateUsedAt(state: RateState | undefined, { requests, periodMs }: RateLimit, nowMs: number): number {
  if (state === undefined) return 0;
  const elapsedMs = Math.max(0, nowMs - state.atMs);
  return Math.max(0, state.used - (elapsedMs * requests) / periodMs);
}

/** Whether another request fits. */
export function fitsRate(used: number, { requests }: RateLimit): boolean {
  return used + 1 <= requests + ROUNDING;
}

/** The number of requests that fit now. */
export function rateRemaining(used: number, { requests }: RateLimit): number {
  return Math.max(0, Math.floor(requests - used + ROUNDING));
}

/** Whole milliseconds until the next request fits; 0 for now. */
export function msUntilNext(used: number, limit: RateLimit): number {
  return fitsRate(used, limit) ? 0 : Math.ceil(msOf(used + 1 - limit.requests - ROUNDING, limit));
}

/** Whole milliseconds until the bucket is empty. */
export function msUntilFull(used: number, limit: RateLimit): number {
  return Math.ceil(msOf(used, limit));
}

/** How long `used` requests take to drain. */
function msOf(used: number, { requests, periodMs }: RateLimit): number {
  return (used * periodMs) / requests;
}
