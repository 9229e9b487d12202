import { checkBudgetIds, MAX_BUDGETS_OF_CALL, MAX_BUDGETS_READ } from '../base/budget-ids.js';
import type { NanoUsd } from '../base/money.js';
import {
  checkAmount,
  checkDay,
  checkLedgerId,
  checkLimitReset,
  checkMaxConcurrent,
  checkPageSize,
  checkRateLimit,
  checkSwitch,
  checkTag,
  checkText,
  checkTime,
  refusal,
} from '../base/options/check-argument.js';
import type { LimitReset } from '../base/time/limit-window.js';
import {
  type Adjustment,
  type AdmitRequest,
  type Charge,
  type EntryQuery,
  type Grant,
  type HoldBudget,
  type HoldRequest,
  type Loss,
  MAX_ACCEPTABLE_AMOUNTS,
  type Release,
} from './ledger.js';
import type { CostSource } from './ledger-entry.js';
import { USAGE_GROUPS, type UsageQuery } from './usage.js';

/*
 * The argument checks of every ledger, before its engine is called: all ledgers refuse the same arguments with the same codes. Each check throws a
 * LedgerError that names the argument, the found value and the expected value.
 */

const COST_SOURCES: ReadonlySet<CostSource> = new Set(['reported', 'computed', 'flat', 'ceiling', 'cached', 'shared']);

/**
 * Of each operation of a ledger. Returns the arguments for the engine where they differ from the given ones.
 *
 * @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`.
 */
export const LEDGER_CHECKS = {
  grant({ grantId, organizationId, amount, note }: Grant): void {
    checkLedgerId('grantId', grantId);
    checkLedgerId('organizationId', organizationId);
    checkAmount('amount', amount);
    checkText('note', note);
  },
  adjust({ adjustmentId, organizationId, keyId, budgets, amount, note }: Adjustment): void {
    checkLedgerId('adjustmentId', adjustmentId);
    checkLedgerId('organizationId', organizationId);
    if (keyId !== undefined) checkLedgerId('keyId', keyId);
    if (budgets !== undefined) checkBudgetIds('budgets', budgets, MAX_BUDGETS_OF_CALL);
    checkAmount('amount', typeof amount === 'bigint' && amount < 0n ? -amount : amount);
    checkText('note', note);
  },
  hold(request: HoldRequest): void {
    const { holdId, keyLimit, keyLimitReset, amount, acceptableAmounts, expiresAtMs, model, usesSlot } = request;
    checkLedgerId('holdId', holdId);
    checkAdmitRequest(request);
    checkMaxConcurrent('keyMaxConcurrent', request.keyMaxConcurrent);
    checkMaxConcurrent('organizationMaxConcurrent', request.organizationMaxConcurrent);
    checkSwitch('usesSlot', usesSlot);
    checkSwitch('operatorPays', request.operatorPays);
    if (keyLimit !== null) checkAmount('keyLimit', keyLimit);
    checkLimitReset('keyLimitReset', keyLimitReset);
    checkAmount('amount', amount);
    if (acceptableAmounts !== undefined) checkAcceptableAmounts(acceptableAmounts, amount);
    checkTime('expiresAtMs', expiresAtMs);
    checkText('model', model);
    if (request.tag !== undefined) checkTag('tag', request.tag);
    if (request.budgets !== undefined) checkHoldBudgets(request.budgets);
  },
  admit: checkAdmitRequest,
  ratesUsed: checkAdmitRequest,
  settle(holdId: string, charge: Charge): void {
    const { cost, model, provider, costSource, upstreamCost, tenantCost, losses } = charge;
    checkLedgerId('holdId', holdId);
    checkAmount('cost', cost);
    if (upstreamCost !== undefined) checkAmount('upstreamCost', upstreamCost);
    if (tenantCost !== undefined) checkAmount('tenantCost', tenantCost);
    checkText('model', model);
    checkText('provider', provider);
    if (!COST_SOURCES.has(costSource))
      throw refusal('invalid_argument', 'costSource', { found: costSource, expected: [...COST_SOURCES].join(', ') });
    if (losses !== undefined) checkLosses(losses);
  },
  release(holdId: string, { reason, losses }: Release): void {
    checkLedgerId('holdId', holdId);
    checkText('reason', reason);
    if (losses !== undefined) checkLosses(losses);
  },
  expireHolds: (nowMs: number) => checkTime('nowMs', nowMs),
  organizationTotals: (organizationId: string) => checkLedgerId('organizationId', organizationId),
  keyTotals(keyId: string, limitReset: LimitReset | null = null) {
    checkLedgerId('keyId', keyId);
    checkLimitReset('limitReset', limitReset);
    return [keyId, limitReset] as const;
  },
  budgetTotals(organizationId: string, budgets: readonly BudgetWindow[]): void {
    checkLedgerId('organizationId', organizationId);
    checkBudgetWindows(budgets, MAX_BUDGETS_READ);
  },
  usage(query: UsageQuery) {
    const { by, organizationId, keyId, budget, fromDay, toDay, after, limit } = query;
    if (!USAGE_GROUPS.includes(by))
      throw refusal('invalid_argument', 'by', { found: by, expected: USAGE_GROUPS.join(', ') });
    if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
    if (keyId !== undefined) checkLedgerId('keyId', keyId);
    if (budget !== undefined) checkLedgerId('budget', budget);
    if (fromDay !== undefined) checkDay('fromDay', fromDay);
    if (toDay !== undefined) checkDay('toDay', toDay);
    if (after !== undefined) checkText('after', after);
    return [{ ...query, limit: checkPageSize('limit', limit) }] as const;
  },
  findHold: (holdId: string) => checkLedgerId('holdId', holdId),
  /** All fields except the cursor, whose form depends on the engine. */
  entries(query: EntryQuery = {}) {
    const { organizationId, keyId, fromMs, toMs, limit } = query;
    if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
    if (keyId !== undefined) checkLedgerId('keyId', keyId);
    if (fromMs !== undefined) checkTime('fromMs', fromMs);
    if (toMs !== undefined) checkTime('toMs', toMs);
    return [{ ...query, limit: checkPageSize('limit', limit) }] as const;
  },
};

/** @throws LedgerError `invalid_id` or `invalid_argument`. */
function checkAdmitRequest(request: AdmitRequest): void {
  checkLedgerId('organizationId', request.organizationId);
  checkLedgerId('keyId', request.keyId);
  checkRateLimit('keyRateLimit', request.keyRateLimit);
  checkRateLimit('organizationRateLimit', request.organizationRateLimit);
}

type BudgetWindow = Pick<HoldBudget, 'id' | 'limitReset'>;

function checkBudgetWindows(budgets: readonly BudgetWindow[], most: number): void {
  const found: unknown = budgets;
  if (!Array.isArray(found)) throw refusal('invalid_argument', 'budgets', { found, expected: 'an array' });
  const ids = budgets.map(({ id }) => id);
  checkBudgetIds('budgets', ids, most);
  for (const [index, { limitReset }] of budgets.entries()) checkLimitReset(`budgets[${index}].limitReset`, limitReset);
}

function checkHoldBudgets(budgets: readonly HoldBudget[]): void {
  checkBudgetWindows(budgets, MAX_BUDGETS_OF_CALL);
  for (const [index, { limit, isKept }] of budgets.entries()) {
    if (limit !== null) checkAmount(`budgets[${index}].limit`, limit);
    checkSwitch(`budgets[${index}].isKept`, isKept);
  }
}

function checkAcceptableAmounts(acceptableAmounts: readonly NanoUsd[], amount: NanoUsd): void {
  const found: unknown = acceptableAmounts;
  if (!Array.isArray(found) || found.length > MAX_ACCEPTABLE_AMOUNTS) {
    const expected = `at most ${MAX_ACCEPTABLE_AMOUNTS} amounts`;
    throw refusal('invalid_argument', 'acceptableAmounts', { found, expected });
  }
  let above = amount;
  for (const [index, smaller] of acceptableAmounts.entries()) {
    const name = `acceptableAmounts[${index}]`;
    checkAmount(name, smaller);
    if (smaller >= above)
      throw refusal('invalid_argument', name, { found: smaller, expected: 'less than the amount before it' });
    above = smaller;
  }
}

function checkLosses(losses: readonly Loss[]): void {
  const found: unknown = losses; // Narrowing `losses` itself would turn its elements into any.
  if (!Array.isArray(found)) throw refusal('invalid_argument', 'losses', { found, expected: 'an array' });
  for (const [index, { model, provider, cost, reason }] of losses.entries()) {
    checkAmount(`losses[${index}].cost`, cost);
    checkText(`losses[${index}].model`, model);
    checkText(`losses[${index}].provider`, provider);
    checkText(`losses[${index}].reason`, reason);
  }
}
