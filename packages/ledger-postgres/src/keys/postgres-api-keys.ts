import { randomUUID } from 'node:crypto';
import {
  type ApiKeyRecord,
  type ApiKeyRegistry,
  apiKeyOfRecord,
  checkApiKeyChange,
  checkApiKeyRecord,
  checkLedgerId,
  checkOrganization,
  checkOrganizationChange,
  LedgerError,
  type Organization,
  type RegistryQuery,
  readRegistryQuery,
  registryPage,
} from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import { type KeyRow, keyOfRow, rowOf } from './registry-rows.js';

/** The registry: one statement for each verb, so each is one atomic step and sees what was acknowledged before. */
export function postgresApiKeys(database: Database): ApiKeyRegistry {
  return { ...keyVerbs(database), ...organizationVerbs(database) };
}

function keyVerbs({
  read,
  write,
  checkOpen,
}: Database): Pick<ApiKeyRegistry, 'findByHash' | 'insertKey' | 'findKey' | 'updateKey' | 'listKeys'> {
  return {
    async findByHash(hash) {
      checkOpen();
      const found = await read<{ key: KeyRow; suspended: boolean }>('find_key_by_hash', () => [hash]);
      return found && apiKeyOfRecord(keyOfRow(found.key), found.suspended);
    },
    async insertKey(key) {
      checkOpen();
      checkApiKeyRecord(key);
      const inserted = await write<boolean>('insert_key', { key: rowOf(key), token: randomUUID() });
      if (inserted !== true) throw new LedgerError('duplicate_key', 'the id or the hash belongs to another key');
    },
    async findKey(id) {
      checkOpen();
      checkLedgerId('id', id);
      const row = await read<KeyRow>('find_key', () => [id]);
      return row && keyOfRow(row);
    },
    async updateKey(id, change) {
      checkOpen();
      checkApiKeyChange(id, change);
      const row = await write<KeyRow>('update_key', { id, change: rowOf(change) });
      return row && keyOfRow(row);
    },
    async listKeys(query) {
      checkOpen();
      const { pageSize, values } = readList(query);
      const rows = await read<KeyRow[]>('list_keys', () => [...values, query?.organizationId ?? null]);
      return registryPage<ApiKeyRecord>((rows ?? []).map(keyOfRow), pageSize);
    },
  };
}

function organizationVerbs({
  read,
  write,
  checkOpen,
}: Database): Pick<
  ApiKeyRegistry,
  'insertOrganization' | 'findOrganization' | 'updateOrganization' | 'listOrganizations'
> {
  return {
    async insertOrganization(organization) {
      checkOpen();
      checkOrganization(organization);
      const { id, name, createdAtMs, suspendedAtMs } = organization;
      const row = { id, name, created_at_ms: createdAtMs, suspended_at_ms: suspendedAtMs };
      const isNew = await write<boolean>('insert_organization', { organization: row, token: randomUUID() });
      return isNew === true;
    },
    async findOrganization(id) {
      checkOpen();
      checkLedgerId('id', id);
      return read<Organization>('find_organization', () => [id]);
    },
    async updateOrganization(id, change) {
      checkOpen();
      checkOrganizationChange(id, change);
      const { name, suspendedAtMs } = change;
      return write<Organization>('update_organization', { id, change: { name, suspended_at_ms: suspendedAtMs } });
    },
    async listOrganizations(query) {
      checkOpen();
      const { pageSize, values } = readList(query);
      const rows = await read<Organization[]>('list_organizations', () => values);
      return registryPage(rows ?? [], pageSize);
    },
  };
}

/** Asks for a row more than the page holds, which tells that there is a next page. */
function readList(query: RegistryQuery | undefined): { pageSize: number; values: readonly unknown[] } {
  const { after, pageSize } = readRegistryQuery(query);
  return { pageSize, values: [after?.createdAtMs ?? -1, after?.id ?? '', pageSize + 1] };
}
