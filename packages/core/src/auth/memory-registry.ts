import { budgetName } from '../base/budget-ids.js';
import type { ApiKeyRecord, ApiKeyRegistry, Organization } from './api-key-registry.js';
import type { Budget } from './budget.js';
import { createApiKeyRegistry, type UnknownBudget } from './create-api-key-registry.js';
import type { RegistryPosition, RegistryRange } from './registry-page.js';
import { changedKey, newOrganization } from './registry-records.js';

/** Stored records are frozen, so that they can be returned without copies. */
interface MemoryKeys {
  readonly byId: Map<string, ApiKeyRecord>;
  readonly byHash: Map<string, ApiKeyRecord>;
  readonly organizations: Map<string, Organization>;
  /** By their `budgetName`. */
  readonly budgets: Map<string, Budget>;
}

/** A registry in this process. Every operation is one synchronous step, and so atomic. */
export function createMemoryRegistry(initial: readonly ApiKeyRecord[], set: readonly Budget[] = []): ApiKeyRegistry {
  const keys: MemoryKeys = { byId: new Map(), byHash: new Map(), organizations: new Map(), budgets: new Map() };
  for (const budget of set) setBudget(keys, budget);
  for (const key of initial) insertKey(keys, key);
  const { byId, byHash, organizations, budgets } = keys;

  return createApiKeyRegistry({
    findByHash(hash) {
      const key = byHash.get(hash);
      if (key === undefined) return undefined;
      const { organizationId, budgets: ids = [] } = key;
      const own = ids.flatMap((id) => budgets.get(budgetName(organizationId, id)) ?? []);
      return { key, organization: organizations.get(organizationId), budgets: own };
    },
    insertKey: (key) => insertKey(keys, key),
    findKey: (id) => byId.get(id),
    updateKey(id, change) {
      const key = byId.get(id);
      const unknown = key && change.budgets && unknownBudget(keys, { ...key, ...change });
      return unknown ?? (key && putKey(keys, changedKey(key, change)));
    },
    listKeys: (range) => rowsOf(ofOrganization(byId, range), range),
    insertOrganization: (organization) => insertOrganization(keys, organization),
    findOrganization: (id) => organizations.get(id),
    updateOrganization(id, change) {
      const organization = organizations.get(id);
      if (organization === undefined) return undefined;
      return putOrganization(keys, { ...organization, ...change });
    },
    listOrganizations: (range) => rowsOf([...organizations.values()], range),
    setBudget: (budget) => setBudget(keys, budget),
    findBudget: (organizationId, id) => budgets.get(budgetName(organizationId, id)),
    listBudgets: (range) => rowsOf(ofOrganization(budgets, range), range),
    deleteBudget(organizationId, id) {
      const users = ofOrganization(byId, { organizationId }).filter((key) => key.revokedAtMs === null);
      const ids = users.filter((key) => key.budgets?.includes(id)).map((key) => key.id);
      return ids.length > 0 ? ids.slice(0, 10) : budgets.delete(budgetName(organizationId, id));
    },
  });
}

function setBudget({ budgets }: MemoryKeys, budget: Budget): Budget {
  const name = budgetName(budget.organizationId, budget.id);
  const stored = Object.freeze({ ...budget, createdAtMs: budgets.get(name)?.createdAtMs ?? budget.createdAtMs });
  budgets.set(name, stored);
  return stored;
}

function unknownBudget({ budgets }: MemoryKeys, { organizationId, budgets: ids = [] }: ApiKeyRecord) {
  const unknown = ids.find((id) => !budgets.has(budgetName(organizationId, id)));
  return unknown === undefined ? undefined : { unknownBudget: unknown };
}

function insertKey(keys: MemoryKeys, key: ApiKeyRecord): boolean | UnknownBudget {
  if (keys.byId.has(key.id) || keys.byHash.has(key.hash)) return false;
  const unknown = unknownBudget(keys, key);
  if (unknown !== undefined) return unknown;
  putKey(keys, key);
  const { organizationId: id, createdAtMs } = key;
  insertOrganization(keys, newOrganization(id, createdAtMs));
  return true;
}

function insertOrganization(keys: MemoryKeys, organization: Organization): boolean {
  if (keys.organizations.has(organization.id)) return false;
  putOrganization(keys, organization);
  return true;
}

// Records are copied field by field: a frozen object made by a spread takes four times the memory, because V8 gives each such object its own hidden class.

function putOrganization({ organizations }: MemoryKeys, organization: Organization): Organization {
  const { id, name, createdAtMs, suspendedAtMs, rateLimit, maxConcurrent, operatorPays, domains } = organization;
  const row = { id, name, createdAtMs, suspendedAtMs, rateLimit, maxConcurrent, operatorPays, domains };
  organizations.set(id, Object.freeze(row));
  return row;
}

function putKey({ byId, byHash }: MemoryKeys, key: ApiKeyRecord): ApiKeyRecord {
  const { id, hash, organizationId, label, limit, limitReset, rateLimit, maxConcurrent, domains } = key;
  const { createdAtMs, expiresAtMs, revokedAtMs } = key;
  const allowedModels = key.allowedModels && Object.freeze([...key.allowedModels]);
  const budgets = Object.freeze([...(key.budgets ?? [])]);
  const stored = Object.freeze({
    id,
    hash,
    organizationId,
    label,
    limit,
    limitReset,
    allowedModels,
    budgets,
    domains,
    rateLimit,
    maxConcurrent,
    createdAtMs,
    expiresAtMs,
    revokedAtMs,
  });
  byId.set(id, stored);
  byHash.set(hash, stored);
  return stored;
}

/** Of every organization, if none is given. */
function ofOrganization<T extends { readonly organizationId: string }>(
  items: ReadonlyMap<string, T>,
  { organizationId }: Pick<RegistryRange, 'organizationId'>,
): T[] {
  return [...items.values()].filter((item) => (organizationId ?? item.organizationId) === item.organizationId);
}

function rowsOf<T extends RegistryPosition>(items: readonly T[], { after, pageSize }: RegistryRange): T[] {
  const rest = items.filter((item) => after === null || compare(item, after) > 0).toSorted(compare);
  return rest.slice(0, pageSize + 1);
}

/** Ids are ASCII, so comparing texts compares bytes. */
function compare(a: RegistryPosition, b: RegistryPosition): number {
  if (a.createdAtMs !== b.createdAtMs) return a.createdAtMs - b.createdAtMs;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
