import type { SealedKey, TenantKeyStoreEngine } from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';

/** The encrypted vendor keys of organizations. */
export function postgresTenantKeys({ read, write }: Database): TenantKeyStoreEngine {
  const list = async (name: string, id: string) => (await read<SealedKey[]>(name, () => [id])) ?? [];

  return {
    put: async (key, before) => (await write<boolean>('put_tenant_key', { key: columnsOf(key), before })) === true,
    list: (organizationId) => list('list_tenant_keys', organizationId),
    listSealedByOthers: (hostKeyId) => list('tenant_keys_sealed_by_others', hostKeyId),
    delete: async (organizationId, providerId) =>
      (await write<boolean>('delete_tenant_key', { organizationId, providerId })) === true,
  };
}
