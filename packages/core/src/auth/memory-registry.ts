import { LedgerError } from '../errors/ledger-error.js';
import { checkLedgerId } from '../options/check-argument.js';
import { apiKeyOfRecord } from './api-key-of-record.js';
import type { ApiKeyRecord, ApiKeyRegistry, Organization } from './api-key-registry.js';
import {
  checkApiKeyChange,
  checkApiKeyRecord,
  checkOrganization,
  checkOrganizationChange,
} from './check-registry-arguments.js';
import { type RegistryPosition, type RegistryRange, readRegistryQuery, registryPage } from './registry-page.js';

/** What is stored is frozen, so that it can be handed out as it is. */
interface MemoryKeys {
  readonly byId: Map<string, ApiKeyRecord>;
  readonly byHash: Map<string, ApiKeyRecord>;
  readonly organizations: Map<string, Organization>;
}

/** A registry in this process. Every verb is one synchronous step, which makes it atomic; they are async so that what they throw is a rejection. */
export function createMemoryRegistry(initial: readonly ApiKeyRecord[]): ApiKeyRegistry {
  const keys: MemoryKeys = { byId: new Map(), byHash: new Map(), organizations: new Map() };
  for (const key of initial) insertKey(keys, key);
  const { byId, byHash, organizations } = keys;

  return {
    async findByHash(hash) {
      const key = byHash.get(hash);
      return key && apiKeyOfRecord(key, organizations.get(key.organizationId)?.suspendedAtMs != null);
    },
    async insertKey(key) {
      checkApiKeyRecord(key);
      insertKey(keys, key);
    },
    async findKey(id) {
      checkLedgerId('id', id);
      return byId.get(id);
    },
    async updateKey(id, change) {
      checkApiKeyChange(id, change);
      const key = byId.get(id);
      return key && putKey(keys, { ...key, ...change, revokedAtMs: key.revokedAtMs ?? change.revokedAtMs ?? null });
    },
    async listKeys(query) {
      const range = readRegistryQuery(query);
      const { organizationId } = range;
      const listed = [...byId.values()].filter(
        (key) => organizationId === undefined || key.organizationId === organizationId,
      );
      return pageOf(listed, range);
    },
    async insertOrganization(organization) {
      checkOrganization(organization);
      if (organizations.has(organization.id)) return false;
      organizations.set(organization.id, Object.freeze({ ...organization }));
      return true;
    },
    async findOrganization(id) {
      checkLedgerId('id', id);
      return organizations.get(id);
    },
    async updateOrganization(id, change) {
      checkOrganizationChange(id, change);
      const organization = organizations.get(id);
      if (organization === undefined) return undefined;
      const changed = Object.freeze({ ...organization, ...change });
      organizations.set(id, changed);
      return changed;
    },
    async listOrganizations(query) {
      return pageOf([...organizations.values()], readRegistryQuery(query));
    },
  };
}

function insertKey(keys: MemoryKeys, key: ApiKeyRecord): void {
  if (keys.byId.has(key.id) || keys.byHash.has(key.hash)) {
    throw new LedgerError('duplicate_key', `a key with the id ${key.id} or the same secret exists already`);
  }
  putKey(keys, key);
  const { organizationId: id, createdAtMs } = key;
  if (!keys.organizations.has(id)) {
    keys.organizations.set(id, Object.freeze({ id, name: null, createdAtMs, suspendedAtMs: null }));
  }
}

function putKey({ byId, byHash }: MemoryKeys, key: ApiKeyRecord): ApiKeyRecord {
  const allowedModels = key.allowedModels && Object.freeze([...key.allowedModels]);
  const stored = Object.freeze({ ...key, allowedModels });
  byId.set(stored.id, stored);
  byHash.set(stored.hash, stored);
  return stored;
}

function pageOf<T extends RegistryPosition>(items: readonly T[], { after, pageSize }: RegistryRange) {
  const rest = items.filter((item) => after === null || compare(item, after) > 0).toSorted(compare);
  return registryPage(rest.slice(0, pageSize + 1), pageSize);
}

/** Ids are ASCII, so that comparing texts compares bytes. */
function compare(a: RegistryPosition, b: RegistryPosition): number {
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
