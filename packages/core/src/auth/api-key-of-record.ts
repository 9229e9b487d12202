import type { ApiKey } from './api-key.js';
import type { ApiKeyRecord, Organization } from './api-key-registry.js';

/** The fields of a key's organization that a gateway needs. */
export type OrganizationOfKey = Pick<Organization, 'suspendedAtMs' | 'rateLimit' | 'maxConcurrent' | 'operatorPays'>;

/** The result of a registry's `findByHash`: the stored key without its hash, with the suspension and the limits of its organization. */
export function apiKeyOfRecord(record: ApiKeyRecord, organization: OrganizationOfKey | undefined): ApiKey {
  const { hash: _hash, createdAtMs: _createdAtMs, ...key } = record;
  return {
    ...key,
    operatorPays: organization?.operatorPays === true,
    organizationSuspended: organization?.suspendedAtMs != null,
    organizationRateLimit: organization?.rateLimit ?? null,
    organizationMaxConcurrent: organization?.maxConcurrent ?? null,
  };
}
