import type { RegistryPage, RegistryQuery } from '../auth/api-key-registry.js';
import type { Budget, BudgetMode } from '../auth/budget.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { KeyTotals } from '../ledger/ledger.js';

/** The budgets of organizations, which keys name. Without a key registry, budgets cannot be managed (`no_key_registry`). */
export interface BudgetAdministration {
  /**
   * Sets a budget, or replaces its limit, reset and mode; its usage stays. A limit below the usage is allowed: calls are refused until the window ends or the
   * limit is raised.
   *
   * @throws AdministrationError `unknown_organization`, `invalid_id`, `invalid_amount`, `invalid_argument`; `schema_window_open` while a process that knows no
   * budgets shares the ledger.
   */
  set(organizationId: string, budget: NewBudget): Promise<BudgetView>;
  /** `undefined` for a budget that is not set. */
  get(organizationId: string, id: string): Promise<BudgetView | undefined>;
  /** A page of the budgets of an organization in order of creation: at most 100, also where `limit` is higher. */
  list(organizationId: string, query?: RegistryQuery): Promise<RegistryPage<BudgetView>>;
  /**
   * Deletes a budget. Its usage stays in the ledger: a budget that is set again by this id goes on counting from there.
   *
   * @returns the budget as it was. @throws AdministrationError `unknown_budget`; `budget_in_use`, naming keys, while a key that is not revoked names it.
   */
  delete(organizationId: string, id: string): Promise<BudgetView>;
  /**
   * Deletes a budget whose id is personal data, set or not, and takes the id out of revoked keys, of the record of changes and of the log of calls. What cannot be changed keeps
   * the id: the entries and sums of the ledger, the budget's counters, archives, backups, and events that were delivered. So choose ids that only you can read.
   *
   * @throws AdministrationError `budget_in_use`, naming keys, while a key that is not revoked names it.
   */
  erase(organizationId: string, id: string): Promise<ErasedBudget>;
}

/** A budget to set. */
export interface NewBudget {
  /** Unique within the organization: 1 to 128 printable ASCII characters without spaces, such as `team:research`. */
  readonly id: string;
  /** Decimal USD that its keys together may spend, of all time or in each window. */
  readonly limit: string;
  /** How often the limit resets. Default: never. */
  readonly limitReset?: LimitReset | null | undefined;
  /** `warn` refuses nothing: alerts tell of it. Default: `enforce`. */
  readonly mode?: BudgetMode | undefined;
}

/** A budget with its usage and holds; `windowUsage` is the usage in the present window of its limit. */
export type BudgetView = Budget & KeyTotals;

/** What was erased. */
export interface ErasedBudget {
  /** Whether the budget was set. */
  readonly wasSet: boolean;
  /** How many records of changes no longer name it. */
  readonly changes: number;
  /** How many calls of the log no longer name it. */
  readonly requests: number;
}
