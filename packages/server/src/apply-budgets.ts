import { parseUsd } from '@searchgate/core';
import type { ApiKeyRegistry } from '@searchgate/core/ledger';
import type { AppliedLog } from './apply-keys.js';
import { changedFields } from './changed-fields.js';
import type { ServerConfig } from './config-file.js';

/** Sets missing budgets, and changes those that differ from the configuration. Several processes may do so at once. Other budgets stay. */
export async function applyBudgets(
  apiKeys: ApiKeyRegistry,
  budgets: NonNullable<ServerConfig['budgets']>,
  { log, nowMs }: { readonly log: Pick<AppliedLog, 'info'>; readonly nowMs: number },
): Promise<void> {
  for (const { organizationId, id, limit, limitReset = null, mode = 'enforce' } of budgets) {
    const wanted = { limit: parseUsd(limit), limitReset, mode };
    const found = await apiKeys.findBudget(organizationId, id);
    const fields = Object.keys(found ? changedFields(['limit', 'limitReset', 'mode'], wanted, found) : wanted);
    if (fields.length === 0) continue;
    await apiKeys.setBudget({ organizationId, id, ...wanted, createdAtMs: nowMs });
    if (found !== undefined)
      log.info({ organization: organizationId, budget: id, fields }, 'the budget was changed by the configuration');
  }
}
