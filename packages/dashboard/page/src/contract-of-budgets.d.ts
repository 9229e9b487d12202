import '../../src/api/contract.js';

declare module '../../src/api/contract.js' {
  interface KeyRow {
    /** Ids of the budgets that its calls count in, at most 4. */
    readonly budgets: readonly string[];
  }

  interface NewKey {
    /** Default: none. */
    readonly budgets?: readonly string[];
  }

  /** A budget of an organization, with its use in the present window. */
  interface BudgetRow {
    readonly id: string;
    /** Decimal USD, as the other amounts. */
    readonly limit: string;
    readonly limit_reset: KeyRow['limit_reset'];
    /** `enforce` refuses calls without room; `warn` refuses nothing. */
    readonly mode: 'enforce' | 'warn';
    readonly usage: string;
    readonly held: string;
    /** Negative where more was used. */
    readonly limit_remaining: string;
    /** `null` for never. */
    readonly resets_at: string | null;
    readonly created_at: string;
  }
}
