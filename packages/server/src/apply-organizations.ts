import { type ApiKeyRegistry, newOrganization } from '@searchgate/core/ledger';
import type { AppliedLog } from './apply-keys.js';
import { changedLimits } from './changed-limits.js';
import type { ServerConfig } from './config-file.js';

/** Makes organizations known, and gives those that are known already the limits that the configuration names. */
export async function applyOrganizations(
  apiKeys: ApiKeyRegistry,
  organizations: NonNullable<ServerConfig['organizations']>,
  { log, nowMs }: { readonly log: Pick<AppliedLog, 'info'>; readonly nowMs: number },
): Promise<void> {
  for (const { id, credits: _, ...wanted } of organizations) {
    const unlimited = newOrganization(id, nowMs);
    if (await apiKeys.insertOrganization({ ...unlimited, ...changedLimits(wanted, unlimited) })) continue;
    const change = changedLimits(wanted, (await apiKeys.findOrganization(id)) ?? unlimited);
    const fields = Object.keys(change);
    if (fields.length === 0) continue;
    await apiKeys.updateOrganization(id, change);
    log.info({ organization: id, fields }, 'the organization was changed by the configuration');
  }
}
