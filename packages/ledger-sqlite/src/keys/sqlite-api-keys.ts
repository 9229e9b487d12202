import {
  type ApiKeyChange,
  type ApiKeyRecord,
  type ApiKeyRegistryEngine,
  type FoundApiKey,
  newOrganization,
  type Organization,
  type OrganizationChange,
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
} from './key-rows.js';

/** The registry of keys in the ledger's database. Its changes share transactions with the operations of the ledger. */
export function sqliteApiKeys({ read, write }: Access): ApiKeyRegistryEngine {
  return {
    findByHash: (hash) => read((connection) => findByHash(connection, hash)),
    insertKey: (key) => write(({ connection }) => addKey(connection, key)),
    findKey: (id) => read((connection) => readKey(connection, 'id', id)),
    updateKey: (id, change) => write(({ connection }) => changeKey(connection, id, change)),
    listKeys: (range) => read((connection) => listKeys(connection, range)),
    insertOrganization: (organization) => write(({ connection }) => insertOrganization(connection, organization)),
    findOrganization: (id) => read((connection) => readOrganization(connection, id)),
    updateOrganization: (id, change) => write(({ connection }) => changeOrganization(connection, id, change)),
    listOrganizations: (range) => read((connection) => listOrganizations(connection, range)),
  };
}

function findByHash(connection: Connection, hash: string): FoundApiKey | undefined {
  const key = readKey(connection, 'hash', hash);
  if (key === undefined) return undefined;
  return { key, organization: readOrganization(connection, key.organizationId) };
}

function addKey(connection: Connection, key: ApiKeyRecord): boolean {
  if (!insertKey(connection, key)) return false;
  const { organizationId: id, createdAtMs } = key;
  insertOrganization(connection, newOrganization(id, createdAtMs));
  return true;
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
