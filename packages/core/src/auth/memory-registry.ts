import type { ApiKeyRecord, ApiKeyRegistry, Organization } from './api-key-registry.js';
import { createApiKeyRegistry } from './create-api-key-registry.js';
import type { RegistryPosition, RegistryRange } from './registry-page.js';

/** What is stored is frozen, so that it can be handed out as it is. */
interface MemoryKeys {
  readonly byId: Map<string, ApiKeyRecord>;
  readonly byHash: Map<string, ApiKeyRecord>;
  readonly organizations: Map<string, Organization>;
}

/** A registry in this process. Every operation is one synchronous step, which makes it atomic. */
export function createMemoryRegistry(initial: readonly ApiKeyRecord[]): ApiKeyRegistry {
  const keys: MemoryKeys = { byId: new Map(), byHash: new Map(), organizations: new Map() };
  for (const key of initial) insertKey(keys, key);
  const { byId, byHash, organizations } = keys;

  return createApiKeyRegistry({
    findByHash(hash) {
      const key = byHash.get(hash);
      return key && { key, organizationSuspended: organizations.get(key.organizationId)?.suspendedAtMs != null };
    },
    insertKey: (key) => insertKey(keys, key),
    findKey: (id) => byId.get(id),
    updateKey(id, change) {
      const key = byId.get(id);
      return key && putKey(keys, { ...key, ...change, revokedAtMs: key.revokedAtMs ?? change.revokedAtMs ?? null });
    },
    listKeys(range) {
      const { organizationId } = range;
      const listed = [...byId.values()].filter(
        (key) => organizationId === undefined || key.organizationId === organizationId,
      );
      return rowsOf(listed, range);
    },
    insertOrganization: (organization) => insertOrganization(keys, organization),
    findOrganization: (id) => organizations.get(id),
    updateOrganization(id, change) {
      const organization = organizations.get(id);
      if (organization === undefined) return undefined;
      const changed = Object.freeze({ ...organization, ...change });
      organizations.set(id, changed);
      return changed;
    },
    listOrganizations: (range) => rowsOf([...organizations.values()], range),
  });
}

function insertKey(keys: MemoryKeys, key: ApiKeyRecord): boolean {
  if (keys.byId.has(key.id) || keys.byHash.has(key.hash)) return false;
  putKey(keys, key);
  const { organizationId: id, createdAtMs } = key;
  insertOrganization(keys, { id, name: null, createdAtMs, suspendedAtMs: null });
  return true;
}

function insertOrganization({ organizations }: MemoryKeys, organization: Organization): boolean {
  if (organizations.has(organization.id)) return false;
  organizations.set(organization.id, Object.freeze({ ...organization }));
  return true;
}

function putKey({ byId, byHash }: MemoryKeys, key: ApiKeyRecord): ApiKeyRecord {
  const allowedModels = key.allowedModels && Object.freeze([...key.allowedModels]);
  const stored = Object.freeze({ ...key, allowedModels });
  byId.set(stored.id, stored);
  byHash.set(stored.hash, stored);
  return stored;
}

function rowsOf<T extends RegistryPosition>(items: readonly T[], { after, pageSize }: RegistryRange): T[] {
  const rest = items.filter((item) => after === null || compare(item, after) > 0).toSorted(compare);
  return rest.slice(0, pageSize + 1);
}

/** Ids are ASCII, so that comparing texts compares bytes. */
function compare(a: RegistryPosition, b: RegistryPosition): number {
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
