import type { DomainRule } from '../base/domain-rule.js';
import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { KeyLimits } from '../base/time/rate-limit.js';
import type { BudgetOfKey } from './budget.js';

/**
 * The caller of a request. An immutable snapshot without usage, which only the ledger knows.
 */
export interface ApiKey extends KeyLimits {
  /** Public id, safe to log; names the key in the ledger. */
  readonly id: string;
  /** The organization that pays. */
  readonly organizationId: string;
  /** Shown by `GET /key`. */
  readonly label: string;
  /** Most that this key may spend, of all time or in each window; `null` for no limit. */
  readonly limit: NanoUsd | null;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** Slugs this key may call; `null` for all. */
  readonly allowedModels: readonly string[] | null;
  /** The key is refused from then on, in milliseconds since the Unix epoch; `null` for never. */
  readonly expiresAtMs: number | null;
  /** When the key was revoked; `null` for not revoked. A revoked key is refused at any time, because clocks differ. */
  readonly revokedAtMs: number | null;
  /** Budgets that the key counts in beside its own limit, at most four, each id once. Absent counts as none. */
  readonly budgets?: readonly BudgetOfKey[] | undefined;
  /** Rules of its organization and of its own, which all hold. Absent counts as none. */
  readonly domains?: readonly DomainRule[] | undefined;
  /** Whether all keys of its organization are refused. */
  readonly organizationSuspended: boolean;
  /** Whether the operator pays: the organization needs no credits. Absent counts as `false`. */
  readonly operatorPays?: boolean | undefined;
}

/**
 * Finds API keys by the SHA-256 of their secret. The secret is never stored: it is shown once, when the key is made.
 *
 * Implementations may read keys from anywhere (memory, a database, the host's user table). The gateway caches results, also of unknown keys, for at most
 * `keyCacheMaxAgeMs` (5 s) in a bounded cache. So a revocation takes effect within that time, or at once after `gateway.invalidateKey(hash)`. A rejected
 * promise becomes `ledger_unavailable` (503), never a 401. The gateway checks found keys: a key of a wrong shape becomes `hook_failed` (500).
 */
export interface ApiKeyStore {
  /** @param hash lower-case hex SHA-256 of the whole bearer token. @returns `undefined` (or `null`) for an unknown key. */
  findByHash(hash: string): Promise<ApiKey | undefined>;
}
