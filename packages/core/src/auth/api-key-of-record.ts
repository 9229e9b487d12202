import type { ApiKey } from './api-key.js';
import type { ApiKeyRecord } from './api-key-registry.js';

/** What a registry's `findByHash` gives: the key as it is stored, without its hash, and whether its organization is suspended. */
export function apiKeyOfRecord(record: ApiKeyRecord, organizationSuspended: boolean): ApiKey {
  const { id, organizationId, label, limit, limitReset, allowedModels, expiresAtMs, revokedAtMs } = record;
  return {
    id,
    organizationId,
    label,
    limit,
    limitReset,
    allowedModels,
    expiresAtMs,
    revokedAtMs,
    organizationSuspended,
  };
}
