import type { ApiKey } from './api-key.js';
import type { Organization } from './api-key-registry.js';
import { budgetsOfKey } from './budget.js';
import type { FoundApiKey } from './create-api-key-registry.js';

/** The fields of a key's organization that a gateway needs. */
export type OrganizationOfKey = Pick<Organization, 'suspendedAtMs' | 'rateLimit' | 'maxConcurrent' | 'operatorPays'>;

/** The result of a registry's `findByHash`: the stored key without its hash, with its budgets, and the suspension and the limits of its organization. */
export function apiKeyOfRecord({ key: record, organization, budgets }: FoundApiKey): ApiKey {
  const { hash: _hash, createdAtMs: _createdAtMs, budgets: _ids, ...key } = record;
  return {
    ...key,
    ...(budgets !== undefined && budgets.length > 0 && { budgets: budgetsOfKey(budgets) }),
    operatorPays: organization?.operatorPays === true,
    organizationSuspended: organization?.suspendedAtMs != null,
    organizationRateLimit: organization?.rateLimit ?? null,
    organizationMaxConcurrent: organization?.maxConcurrent ?? null,
  };
}
