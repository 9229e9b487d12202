import { randomUUID } from 'node:crypto';
import type { ApiKeyRecord, ApiKeyRegistryEngine, Organization, RegistryRange } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

/** The registry: one statement for each operation, so each is one atomic step and sees what was acknowledged before. */
export function postgresApiKeys({ read, write }: Database): ApiKeyRegistryEngine {
  return {
    async findByHash(hash) {
      const found = await read<{ key: KeyRow; organization: Organization }>('find_key_by_hash', () => [hash]);
      return found && { ...found, key: keyOfRow(found.key) };
    },
    async insertKey(key) {
      return (await write<boolean>('insert_key', { key: rowOfKey(key), token: randomUUID() })) === true;
    },
    async findKey(id) {
      const row = await read<KeyRow>('find_key', () => [id]);
      return row && keyOfRow(row);
    },
    async updateKey(id, change) {
      const row = await write<KeyRow>('update_key', { id, change: rowOfKey(change) });
      return row && keyOfRow(row);
    },
    async listKeys(range) {
      const values = [...valuesOf(range), range.organizationId ?? null];
      return ((await read<KeyRow[]>('list_keys', () => values)) ?? []).map(keyOfRow);
    },
    async insertOrganization(organization) {
      const row = rowOfOrganization(organization);
      return (await write<boolean>('insert_organization', { organization: row, token: randomUUID() })) === true;
    },
    findOrganization: (id) => read<Organization>('find_organization', () => [id]),
    updateOrganization: (id, change) =>
      write<Organization>('update_organization', { id, change: rowOfOrganization(change) }),
    listOrganizations: async (range) => (await read<Organization[]>('list_organizations', () => valuesOf(range))) ?? [],
  };
}

function valuesOf({ after, pageSize }: RegistryRange): readonly unknown[] {
  return [after?.createdAtMs ?? -1, after?.id ?? '', pageSize + 1];
}

/** A key as the functions of the schema give it. */
type KeyRow = Omit<ApiKeyRecord, 'limit'> & { readonly limit: string | null };

function keyOfRow(row: KeyRow): ApiKeyRecord {
  return { ...row, limit: row.limit === null ? null : BigInt(row.limit) };
}

// The columns of the fields that are given; those that are not are absent from the JSON.

function rowOfKey(key: Partial<ApiKeyRecord>): Record<string, unknown> {
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

function rowOfOrganization(organization: Partial<Organization>): Record<string, unknown> {
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
