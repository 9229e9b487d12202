import type { ApiKey } from '../auth/api-key.js';
import type { BudgetOfKey } from '../auth/budget.js';
import type { Logger } from '../base/events/logger.js';
import type { NanoUsd } from '../base/money.js';
import { isoTime } from '../base/time/iso-time.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { KeyTotals, Ledger, OrganizationTotals } from '../ledger/ledger.js';
import { readTotals } from './read-totals.js';

/** What was used of a limit. */
export interface Spending {
  /** Of all time. */
  readonly usage: NanoUsd;
  /** In the current window, if the limit resets; never below zero. `null` for no limit. */
  readonly remaining: NanoUsd | null;
  /** `null` for a limit that never resets. */
  readonly limitReset: LimitReset | null;
  /** When the limit resets, such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resetsAt: string | null;
}

/** A key's usage and remaining budget. A key without a limit has no reset. */
export interface KeySpending extends Spending {
  /** Those of the key, in its order. */
  readonly budgets: readonly BudgetSpending[];
  /** What leaves the key the least money: of equals the first of the key's limit, its budgets and the credits. `null` where nothing refuses. */
  readonly boundBy: string | null;
}

/** Of all its keys together. */
export interface BudgetSpending extends Spending, Pick<BudgetOfKey, 'id' | 'mode' | 'limit'> {}

export interface SpendingDeps {
  readonly ledger: Pick<Ledger, 'keyTotals' | 'budgetTotals' | 'organizationTotals'>;
  readonly logger: Logger;
}

type SpendingKey = Pick<ApiKey, 'id' | 'organizationId' | 'limit' | 'limitReset' | 'budgets' | 'operatorPays'>;

/** @throws RequestError `ledger_unavailable`. */
export async function readKeySpending({ ledger, logger }: SpendingDeps, apiKey: SpendingKey): Promise<KeySpending> {
  const { id, organizationId, limit, limitReset: reset, budgets = [], operatorPays } = apiKey;
  const limitReset = limit === null ? null : reset;
  // One reading gives usage and reset time of the same window.
  const [key, spent, organization] = await readTotals(
    Promise.all([
      ledger.keyTotals(id, limitReset),
      budgets.length === 0 ? [] : ledger.budgetTotals(organizationId, budgets),
      operatorPays === true ? null : ledger.organizationTotals(organizationId),
    ]),
    logger,
  );
  const read = budgets.map((budget, index) => ({ budget, totals: spent[index] ?? NOTHING_SPENT }));
  return {
    ...spendingOf(limit, limitReset, key),
    budgets: read.map(({ budget: { id: budget, mode, limit: most, limitReset: resets }, totals }) => {
      return { id: budget, mode, limit: most, ...spendingOf(most, resets, totals) };
    }),
    boundBy: boundBy(limit === null ? null : limit - key.windowUsage, read, organization),
  };
}

const NOTHING_SPENT: KeyTotals = { usage: 0n, held: 0n, windowUsage: 0n, resetsAtMs: null };

function spendingOf(limit: NanoUsd | null, limitReset: LimitReset | null, totals: KeyTotals): Spending {
  const { usage, windowUsage, resetsAtMs } = totals;
  const resetsAt = resetsAtMs === null ? null : isoTime(resetsAtMs);
  const left = (limit ?? 0n) - windowUsage;
  return { usage, remaining: limit === null ? null : left > 0n ? left : 0n, limitReset, resetsAt };
}

function boundBy(
  leftOfKey: NanoUsd | null,
  budgets: readonly { readonly budget: BudgetOfKey; readonly totals: KeyTotals }[],
  organization: OrganizationTotals | null,
): string | null {
  let [bound, least]: [string | null, NanoUsd] = [null, 0n];
  const narrow = (name: string, left: NanoUsd) => {
    if (bound === null || left < least) [bound, least] = [name, left];
  };
  if (leftOfKey !== null) narrow('key_limit', leftOfKey);
  for (const { budget, totals } of budgets)
    if (budget.mode === 'enforce' && budget.limit !== null)
      narrow(`budget:${budget.id}`, budget.limit - totals.windowUsage);
  if (organization !== null) narrow('organization_credits', organization.credits - organization.usage);
  return bound;
}
