import type { ApiKey } from './api-key.js';
import type { ApiKeyRecord, Organization } from './api-key-registry.js';

/** What a gateway has to know of the organization of a key. */
export type OrganizationOfKey = Pick<Organization, 'suspendedAtMs' | 'rateLimit' | 'maxConcurrent'>;

/** What a registry's `findByHash` gives: the key as it is stored, without its hash, and what its organization adds. */
export function apiKeyOfRecord(record: ApiKeyRecord, organization: OrganizationOfKey | undefined): ApiKey {
  const { id, organizationId, label, limit, limitReset, allowedModels, expiresAtMs, revokedAtMs } = record;
  const { rateLimit, maxConcurrent } = record;
  return {
    id,
    organizationId,
    label,
    limit,
    limitReset,
    allowedModels,
    expiresAtMs,
    revokedAtMs,
    rateLimit,
    maxConcurrent,
    organizationSuspended: organization?.suspendedAtMs != null,
    organizationRateLimit: organization?.rateLimit ?? null,
    organizationMaxConcurrent: organization?.maxConcurrent ?? null,
  };
}
