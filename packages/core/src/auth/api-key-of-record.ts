import type { ApiKey } from './api-key.js';
import type { ApiKeyRecord, Organization } from './api-key-registry.js';
import { type Budget, budgetsOfKey } from './budget.js';

/** The fields of a key's organization that a gateway needs. */
export type OrganizationOfKey = Omit<Organization, 'id' | 'name' | 'createdAtMs'>;

/** A key that was found by its hash. */
export interface FoundApiKey {
  /** With every field. */
  readonly key: ApiKeyRecord;
  /** `undefined` for an unknown organization. */
  readonly organization: OrganizationOfKey | undefined;
  /** Those that the key names, in the order of the key. Absent for none. */
  readonly budgets?: readonly Budget[] | undefined;
}

/** The result of a registry's `findByHash`: the stored key without its hash, with its budgets, and the suspension and the limits of its organization. */
export function apiKeyOfRecord({ key: record, organization, budgets }: FoundApiKey): ApiKey {
  const { hash: _hash, createdAtMs: _createdAtMs, budgets: _ids, domains: own, ...key } = record;
  const domains = [organization?.domains, own].filter((rule) => rule != null);
  return {
    ...key,
    ...(budgets !== undefined && budgets.length > 0 && { budgets: budgetsOfKey(budgets) }),
    ...(domains.length > 0 && { domains }),
    operatorPays: organization?.operatorPays === true,
    organizationSuspended: organization?.suspendedAtMs != null,
    organizationRateLimit: organization?.rateLimit ?? null,
    organizationMaxConcurrent: organization?.maxConcurrent ?? null,
  };
}
