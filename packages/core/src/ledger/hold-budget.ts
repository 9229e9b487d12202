import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';

export { budgetName, MAX_BUDGETS_OF_CALL } from '../base/budget-ids.js';

/** A budget that a call counts in, beside the limit of its key and the credits of its organization. */
export interface HoldBudget {
  /** Unique within the organization, as other ids of a ledger. */
  readonly id: string;
  /** Most that may be used, of all time or in each window; `null` counts and refuses nothing. */
  readonly limit: NanoUsd | null;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** `false` for a budget that is known from its calls alone: its counter is forgotten when it was idle for {@link BUDGET_IDLE_DAYS}. A budget without a reset is always kept. */
  readonly isKept: boolean;
}

/** Most budgets of an organization that have counters. */
export const MAX_BUDGETS = 100_000;
/** A counter that is not kept, holds nothing and was not used for more days than this is forgotten: the longest window and 40 days. */
export const BUDGET_IDLE_DAYS = 71;

/** The ids of budgets in the order of their bytes, as holds and entries have them; `undefined` for none. */
export function budgetIdsOf(budgets: readonly Pick<HoldBudget, 'id'>[] | undefined): readonly string[] | undefined {
  if (budgets === undefined || budgets.length === 0) return undefined;
  return budgets.map(({ id }) => id).sort();
}
