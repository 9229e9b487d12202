import { randomUUID } from 'node:crypto';
import type { ApiKeyRegistryEngine, Organization, RegistryRange } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import { type KeyRow, keyOfRow, rowOfKey, rowOfOrganization } from './key-rows.js';

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
