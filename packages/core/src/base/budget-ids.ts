import { checkLedgerId, refusal } from './options/check-argument.js';

/** Most budgets of a call. */
export const MAX_BUDGETS_OF_CALL = 4;
/** Most budgets whose totals a ledger reads at once. */
export const MAX_BUDGETS_READ = 100;

/** The name of a budget among those of all organizations. Ids have no spaces. */
export function budgetName(organizationId: string, id: string): string {
  return `${organizationId} ${id}`;
}

/** Each id once, and not more than that many. @throws LedgerError `invalid_id` or `invalid_argument`. */
export function checkBudgetIds(name: string, ids: readonly string[], most: number): void {
  const found: unknown = ids;
  if (!Array.isArray(found) || found.length > most || new Set(found).size < found.length)
    throw refusal('invalid_argument', name, { found, expected: `at most ${most} budgets, each once` });
  for (const [index, id] of ids.entries()) checkLedgerId(`${name}[${index}]`, id);
}
