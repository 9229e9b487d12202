import type { DomainRule } from '../base/domain-rule.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { KeyLimits } from '../base/time/rate-limit.js';
import type { BudgetMode } from './budget.js';

/**
 * A caller that the host has authenticated. `id` names the caller in the ledger, so a caller must always have the same id, and two callers different ids.
 * Give the limits of an organization with each of its callers. Checked at run time: a wrong value or an unknown field is `hook_failed`.
 */
export interface KeyIdentity extends KeyLimits {
  /** 1 to 128 printable ASCII characters without spaces, neither `.` nor `..`, not beginning with `searchgate:`. */
  readonly id: string;
  /** The organization that pays: 1 to 128 printable ASCII characters without spaces, neither `.` nor `..`. */
  readonly organizationId: string;
  /** `true` if the operator pays: the organization needs no credits, and only `limit` bounds the spending. Default `false`. */
  readonly operatorPays?: boolean | undefined;
  /** Shown by `GET /key`; defaults to `id`. */
  readonly label?: string | null | undefined;
  /** Most that the caller may spend, decimal USD; absent or `null` for no limit. */
  readonly limit?: string | null | undefined;
  /** How often the limit resets (UTC calendar); absent or `null` for never. */
  readonly limitReset?: LimitReset | null | undefined;
  /** Slugs that the caller may use; absent or `null` for all. */
  readonly allowedModels?: readonly string[] | null | undefined;
  /** Further budgets of the organization, such as of a team and of an end user: a call needs room in all. At most four, each id once. Default: none. */
  readonly budgets?: readonly BudgetOfIdentity[] | null | undefined;
  /** Which web sites answers may come from: `{ only: [...] }` or `{ never: [...] }`, 1 to 1,000 host names; absent or `null` for all. */
  readonly domains?: DomainRule | null | undefined;
}

/** A budget that calls of a caller count in. The limit is that of the call: give each caller of a budget the same. */
export interface BudgetOfIdentity {
  /** Unique within the organization: 1 to 128 printable ASCII characters without spaces, such as `team:research`. */
  readonly id: string;
  /** Most that all its callers together may spend, decimal USD; `null` counts and refuses nothing. */
  readonly limit: string | null;
  /** How often the limit resets (UTC calendar); absent or `null` for never. The usage of a budget that resets is forgotten after 71 days without a call. */
  readonly limitReset?: LimitReset | null | undefined;
  /** `enforce` refuses calls without room; `warn` refuses nothing, but alerts tell of it. Default `enforce`. */
  readonly mode?: BudgetMode | undefined;
}
