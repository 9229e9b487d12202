import type { ApiKeyRecord } from '@searchgate/core';

/** A key as its statement gives it. */
export type KeyRow = Omit<ApiKeyRecord, 'limit'> & { readonly limit: string | null };

/** The arguments of `json_build_object` for a row `k` of `api_keys`. */
export const KEY_FIELDS = `'id', k.id, 'hash', k.hash, 'organizationId', k.organization_id, 'label', k.label, 'limit', k.key_limit::text,
  'limitReset', k.limit_reset, 'allowedModels', k.allowed_models, 'createdAtMs', k.created_at_ms, 'expiresAtMs', k.expires_at_ms,
  'revokedAtMs', k.revoked_at_ms`;

/** The same for a row `k` of `organizations`, as an `Organization`. */
export const ORGANIZATION_FIELDS = `'id', k.id, 'name', k.name, 'createdAtMs', k.created_at_ms, 'suspendedAtMs', k.suspended_at_ms`;

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
