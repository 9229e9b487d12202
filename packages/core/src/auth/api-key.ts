import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';

/**
 * Who is calling, as the rest of the gateway sees it. An immutable snapshot: it holds no usage, which only the ledger knows.
 */
export interface ApiKey {
  /** Public id, safe to log; names the key in the ledger. */
  readonly id: string;
  readonly organizationId: string;
  /** What `GET /key` shows. */
  readonly label: string;
  /** Most this key may spend, ever or in each window; `null` for no limit. */
  readonly limit: NanoUsd | null;
  /** How often the limit starts over; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** Slugs this key may call; `null` for all. */
  readonly allowedModels: readonly string[] | null;
  readonly expiresAtMs: number | null;
  /** When it was revoked. A revoked key is refused whatever the time is, since clocks differ; `null` while it is not. */
  readonly revokedAtMs: number | null;
  readonly organizationSuspended: boolean;
  /** Most answers in a period; absent or `null` for the gateway's default. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** Most answers under way at once; absent or `null` for the gateway's default. */
  readonly maxConcurrent?: number | null | undefined;
  /** The same of all keys of the organization together. */
  readonly organizationRateLimit?: RateLimit | null | undefined;
  readonly organizationMaxConcurrent?: number | null | undefined;
}

/**
 * Finds API keys by the SHA-256 of their secret. The secret itself is never stored: it is shown once, when the key is made.
 *
 * Implementations may answer from anywhere (memory, a database, the host's own user table); the gateway keeps answers, also
 * negative ones, for at most `keyCacheMaxAgeMs` (5 s) in a bounded cache, so a revocation takes effect within that time, or at once after
 * `gateway.invalidateKey(hash)`. A rejected promise becomes `ledger_unavailable` (503), never a 401. What is found is checked: a key of a wrong
 * shape becomes `hook_failed` (500).
 */
export interface ApiKeyStore {
  /** @param hash lower-case hex SHA-256 of the whole bearer token. @returns `undefined` for a key it does not know (`null` does as well). */
  findByHash(hash: string): Promise<ApiKey | undefined>;
}
