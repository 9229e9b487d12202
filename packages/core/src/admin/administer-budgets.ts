import type { ApiKeyRecord, ApiKeyRegistry } from '../auth/api-key-registry.js';
import type { Budget } from '../auth/budget.js';
import { MAX_BUDGETS_READ } from '../base/budget-ids.js';
import { isLedgerError } from '../base/errors/ledger-error.js';
import { checkPageSize } from '../base/options/check-argument.js';
import { nearestName } from '../base/options/nearest-name.js';
import type { AuditLog } from '../ledger/audit-log.js';
import type { RequestLog } from '../ledger/request-log.js';
import { type OrganizationDeps, requireOrganization } from './administer-organizations.js';
import { AdministrationError, refuseWithoutRegistry } from './administration-error.js';
import type { BudgetAdministration, BudgetView } from './budget-administration.js';
import { eraseFromRecords } from './erase-from-records.js';
import { keysOf, LARGEST_PAGE } from './pages.js';
import { checkFields, readUsd } from './read-arguments.js';

interface BudgetDeps extends OrganizationDeps {
  readonly auditLog: AuditLog | undefined;
  readonly requestLog: RequestLog | undefined;
}

export function administerBudgets(deps: BudgetDeps): BudgetAdministration {
  const { ledger, apiKeys, clock, invalidateKey, auditLog, requestLog } = deps;

  async function withTotals(organizationId: string, budgets: readonly Budget[]): Promise<BudgetView[]> {
    if (budgets.length === 0) return [];
    const totals = await ledger.budgetTotals(organizationId, budgets);
    return totals.map((each, index) => ({ ...(budgets[index] as Budget), ...each }));
  }

  async function get(organizationId: string, id: string): Promise<BudgetView | undefined> {
    const budget = await apiKeys.findBudget(organizationId, id);
    return budget && (await withTotals(organizationId, [budget]))[0];
  }

  return {
    async set(organizationId, fields) {
      checkFields('budgets.set', fields, ['id', 'limit', 'limitReset', 'mode']);
      const { id, limitReset = null, mode = 'enforce' } = fields;
      const limit = readUsd('limit', fields.limit);
      await requireOrganization(apiKeys, organizationId);
      const isKnown = (await apiKeys.findBudget(organizationId, id)) !== undefined;
      const budget = await apiKeys.setBudget({ organizationId, id, limit, limitReset, mode, createdAtMs: clock.now() });
      // No key names a new budget.
      if (isKnown)
        for await (const { hash, budgets } of keysOf(apiKeys, organizationId))
          if (budgets?.includes(id)) invalidateKey(hash);
      const [view] = await withTotals(organizationId, [budget]);
      return view as BudgetView;
    },
    get,
    async list(organizationId, { limit, ...query } = {}) {
      const pageSize = Math.min(MAX_BUDGETS_READ, checkPageSize('limit', limit));
      const { items, nextCursor } = await apiKeys.listBudgets(organizationId, { ...query, limit: pageSize });
      return { items: await withTotals(organizationId, items), nextCursor };
    },
    async delete(organizationId, id) {
      const budget = await get(organizationId, id);
      if (budget !== undefined && (await apiKeys.deleteBudget(organizationId, id))) return budget;
      throw await unknownBudget(apiKeys, organizationId, id);
    },
    async erase(organizationId, id) {
      const wasSet = await apiKeys.deleteBudget(organizationId, id);
      // Other budgets of a revoked key may not be set any more: a registry would refuse to keep them.
      for await (const key of keysOf(apiKeys, organizationId))
        if (key.budgets?.includes(id)) await apiKeys.updateKey(key.id, { budgets: [] });
      const changes = auditLog === undefined ? 0 : await eraseFromRecords(auditLog, organizationId, id);
      return { wasSet, changes, requests: (await requestLog?.eraseBudget(organizationId, id)) ?? 0 };
    },
  };
}

/** For a host that authenticates callers itself, and brings their budgets with them. */
export function budgetsOfHost(): BudgetAdministration {
  return refuseWithoutRegistry('budgets', ['set', 'get', 'list', 'delete', 'erase']);
}

/** @throws AdministrationError `unknown_budget` unless the organization has all of these budgets. */
export async function requireBudgets(apiKeys: ApiKeyRegistry, organizationId: string, ids: readonly string[] = []) {
  for (const id of ids)
    if ((await apiKeys.findBudget(organizationId, id)) === undefined)
      throw await unknownBudget(apiKeys, organizationId, id);
}

async function unknownBudget(apiKeys: ApiKeyRegistry, organizationId: string, id: string) {
  const hint = await suggestion(apiKeys, organizationId, [id]);
  return new AdministrationError('unknown_budget', `the organization ${organizationId} has no budget ${id}${hint}`);
}

/** The error of a registry; where a key names an unknown budget, with the budget that may have been meant. */
export async function suggestingBudget(
  apiKeys: ApiKeyRegistry,
  error: unknown,
  { organizationId = '', budgets = [] }: Partial<Pick<ApiKeyRecord, 'organizationId' | 'budgets'>>,
): Promise<unknown> {
  if (!isLedgerError(error) || error.reason !== 'unknown_budget') return error;
  const hint = await suggestion(apiKeys, organizationId, budgets);
  return new AdministrationError('unknown_budget', `${error.message}${hint}`);
}

/** Names the budget nearest to the first id that is not set, of a page of budgets; empty for none. */
async function suggestion(apiKeys: ApiKeyRegistry, organizationId: string, ids: readonly string[]): Promise<string> {
  const { items } = await apiKeys.listBudgets(organizationId, { limit: LARGEST_PAGE });
  const known = new Set(items.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  const nearest = unknown === undefined ? undefined : nearestName(unknown, known);
  return nearest === undefined ? '' : `. Did you mean "${nearest}"?`;
}
