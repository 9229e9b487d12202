import type { ApiKeyRecord, Organization } from '@searchgate/core/ledger';

/** A key as the functions of the schema give it. */
export type KeyRow = Omit<ApiKeyRecord, 'limit'> & { readonly limit: string | null };

export function keyOfRow(row: KeyRow): ApiKeyRecord {
  return { ...row, limit: row.limit === null ? null : BigInt(row.limit) };
}

// The columns of the fields that are given; those that are not are absent from the JSON.

export function rowOfKey(key: Partial<ApiKeyRecord>): Record<string, unknown> {
  const { id, hash, label, limit } = key;
  return {
    id,
    hash,
    organization_id: key.organizationId,
    label,
    key_limit: limit == null ? limit : `${limit}`,
    limit_reset: key.limitReset,
    allowed_models: key.allowedModels,
    rate_limit: key.rateLimit,
    max_concurrent: key.maxConcurrent,
    created_at_ms: key.createdAtMs,
    expires_at_ms: key.expiresAtMs,
    revoked_at_ms: key.revokedAtMs,
  };
}

export function rowOfOrganization(organization: Partial<Organization>): Record<string, unknown> {
  const { id, name, rateLimit, maxConcurrent } = organization;
  return {
    id,
    name,
    rate_limit: rateLimit,
    max_concurrent: maxConcurrent,
    created_at_ms: organization.createdAtMs,
    suspended_at_ms: organization.suspendedAtMs,
  };
}
