import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';

/** A budget of an organization, which its keys may name: for a team, a project or an end user. */
export interface Budget {
  /** Whose budget it is. */
  readonly organizationId: string;
  /** Unique within the organization: 1 to 128 printable ASCII characters without spaces, such as `team:research`. */
  readonly id: string;
  /** Nanodollars that its keys together may spend, of all time or in each window. */
  readonly limit: NanoUsd;
  /** How often the limit resets; `null` for never. */
  readonly limitReset: LimitReset | null;
  /** `enforce` refuses calls without room. `warn` refuses nothing: alerts tell of it. */
  readonly mode: BudgetMode;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
}

/** What happens to a call that a budget has no room for. */
export type BudgetMode = (typeof BUDGET_MODES)[number];
export const BUDGET_MODES = ['enforce', 'warn'] as const;

/** A budget that a key counts in, with its limit. */
export interface BudgetOfKey extends Pick<Budget, 'id' | 'limitReset' | 'mode'> {
  /** `null` counts and refuses nothing. */
  readonly limit: NanoUsd | null;
  /** Whether its usage is kept however long it is idle, as that of a registry's budgets. Absent counts as `false`. */
  readonly isKept?: boolean | undefined;
}

/** The budgets of a found key, from those that its registry has set. */
export function budgetsOfKey(budgets: readonly Budget[]): readonly BudgetOfKey[] {
  return budgets.map(({ id, limit, limitReset, mode }) => ({ id, limit, limitReset, mode, isKept: true }));
}
