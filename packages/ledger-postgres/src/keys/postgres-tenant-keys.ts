import type { SealedKey, TenantKeyStoreEngine } from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';

/** The encrypted vendor keys of organizations. */
export function postgresTenantKeys({ read, write }: Database): TenantKeyStoreEngine {
  const remove = async (organizationId: string, providerId?: string) =>
    (await write<number>('delete_tenant_keys', { organizationId, providerId })) ?? 0;
  const list = async (name: string, id: string) => (await read<SealedKey[]>(name, () => [id])) ?? [];

  return {
    async put(key) {
      await write('put_tenant_key', columnsOf(key));
    },
    reseal: async (key, before) =>
      (await write<boolean>('reseal_tenant_key', { key: columnsOf(key), before })) === true,
    find: (organizationId, providerId) => read<SealedKey>('find_tenant_key', () => [organizationId, providerId]),
    list: (organizationId) => list('list_tenant_keys', organizationId),
    listSealedByOthers: (hostKeyId) => list('tenant_keys_sealed_by_others', hostKeyId),
    delete: async (organizationId, providerId) => (await remove(organizationId, providerId)) > 0,
    erase: (organizationId) => remove(organizationId),
  };
}
