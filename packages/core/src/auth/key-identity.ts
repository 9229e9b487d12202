import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';

/**
 * A caller the host vouches for. `id` names it in the ledger, so it must stay the same for the same caller and differ between callers.
 * Checked at run time: a wrong value or an unknown field is `hook_failed`.
 */
export interface KeyIdentity {
  /** 1 to 128 printable ASCII characters without spaces, neither `.` nor `..`, not beginning with `searchgate:`. */
  readonly id: string;
  /** Who pays: 1 to 128 printable ASCII characters without spaces, neither `.` nor `..`. */
  readonly organizationId: string;
  /** Shown by `GET /key`; defaults to `id`. */
  readonly label?: string | null | undefined;
  /** Most it may spend, decimal USD; absent or `null` for no limit. */
  readonly limit?: string | null | undefined;
  /** How often the limit starts over (UTC calendar); absent or `null` for never. */
  readonly limitReset?: LimitReset | null | undefined;
  /** Slugs it may call; absent or `null` for all. */
  readonly allowedModels?: readonly string[] | null | undefined;
  /** Most answers in a period, such as `{ requests: 60, periodMs: 60_000 }`; absent or `null` for the gateway's default. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** Most answers under way at once; absent or `null` for the gateway's default. */
  readonly maxConcurrent?: number | null | undefined;
  /** The same of the whole organization: give it with each of its callers. */
  readonly organizationRateLimit?: RateLimit | null | undefined;
  readonly organizationMaxConcurrent?: number | null | undefined;
}
