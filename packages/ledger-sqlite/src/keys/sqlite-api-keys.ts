import {
  type ApiKeyChange,
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
  type OrganizationChange,
  readRegistryQuery,
  registryPage,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import {
  insertKey,
  insertOrganization,
  listKeys,
  listOrganizations,
  readKey,
  readOrganization,
  updateKey,
  updateOrganization,
} from './stored-keys.js';

/** The registry of keys in the ledger's database. Its changes share transactions with the verbs of the ledger. */
export function sqliteApiKeys({ read, write }: Access): ApiKeyRegistry {
  return {
    findByHash: (hash) =>
      read((connection) => {
        const key = readKey(connection, 'hash', hash);
        return key && apiKeyOfRecord(key, isSuspended(connection, key.organizationId));
      }),
    async insertKey(key) {
      checkApiKeyRecord(key);
      await write(({ connection }) => addKey(connection, key));
    },
    async findKey(id) {
      checkLedgerId('id', id);
      return read((connection) => readKey(connection, 'id', id));
    },
    async updateKey(id, change) {
      checkApiKeyChange(id, change);
      return write(({ connection }) => changeKey(connection, id, change));
    },
    async listKeys(query) {
      const range = readRegistryQuery(query);
      return read((connection) => registryPage(listKeys(connection, range), range.pageSize));
    },
    async insertOrganization(organization) {
      checkOrganization(organization);
      return write(({ connection }) => insertOrganization(connection, organization));
    },
    async findOrganization(id) {
      checkLedgerId('id', id);
      return read((connection) => readOrganization(connection, id));
    },
    async updateOrganization(id, change) {
      checkOrganizationChange(id, change);
      return write(({ connection }) => changeOrganization(connection, id, change));
    },
    async listOrganizations(query) {
      const range = readRegistryQuery(query);
      return read((connection) => registryPage(listOrganizations(connection, range), range.pageSize));
    },
  };
}

function isSuspended(connection: Connection, organizationId: string): boolean {
  return readOrganization(connection, organizationId)?.suspendedAtMs != null;
}

function addKey(connection: Connection, key: ApiKeyRecord): void {
  if (!insertKey(connection, key)) {
    throw new LedgerError('duplicate_key', `a key with the id ${key.id} or the same secret exists already`);
  }
  const { organizationId: id, createdAtMs } = key;
  insertOrganization(connection, { id, name: null, createdAtMs, suspendedAtMs: null });
}

function changeKey(connection: Connection, id: string, change: ApiKeyChange): ApiKeyRecord | undefined {
  const key = readKey(connection, 'id', id);
  if (key === undefined) return undefined;
  updateKey(connection, { ...key, ...change, revokedAtMs: key.revokedAtMs ?? change.revokedAtMs ?? null });
  return readKey(connection, 'id', id);
}

function changeOrganization(connection: Connection, id: string, change: OrganizationChange): Organization | undefined {
  const organization = readOrganization(connection, id);
  if (organization === undefined) return undefined;
  const changed = { ...organization, ...change };
  updateOrganization(connection, changed);
  return changed;
}
