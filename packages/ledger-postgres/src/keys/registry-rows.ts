import type { ApiKeyRecord } from '@searchgate/core/ledger';

/** A key as its statement gives it. */
export type KeyRow = Omit<ApiKeyRecord, 'limit'> & { readonly limit: string | null };

export function keyOfRow(row: KeyRow): ApiKeyRecord {
  const { id, hash, organizationId, label, limit, limitReset, allowedModels, createdAtMs, expiresAtMs, revokedAtMs } =
    row;
  return {
    id,
    hash,
    organizationId,
    label,
    limit: limit === null ? null : BigInt(limit),
    limitReset,
    allowedModels,
    createdAtMs,
    expiresAtMs,
    revokedAtMs,
  };
}

/** The columns of the fields that are given; those that are not are absent from its JSON. */
export function rowOf(key: Partial<ApiKeyRecord>): Record<string, unknown> {
  const { id, hash, organizationId, label, limit, limitReset, allowedModels, createdAtMs, expiresAtMs, revokedAtMs } =
    key;
  return {
    id,
    hash,
    organization_id: organizationId,
    label,
    key_limit: limit == null ? limit : `${limit}`,
    limit_reset: limitReset,
    allowed_models: allowedModels,
    created_at_ms: createdAtMs,
    expires_at_ms: expiresAtMs,
    revoked_at_ms: revokedAtMs,
  };
}
