import { LedgerError } from '../base/errors/ledger-error.js';
import { type ArgumentChecks, type EngineOf, type OpenState, wrapOperations } from '../base/options/open-state.js';
import { apiKeyOfRecord, type FoundApiKey } from './api-key-of-record.js';
import type { ApiKeyChange, ApiKeyRecord, ApiKeyRegistry, Organization, RegistryPage } from './api-key-registry.js';
import type { Budget } from './budget.js';
import { checkResetHasLimit, REGISTRY_CHECKS } from './check-registry-arguments.js';
import { type RegistryPosition, type RegistryRange, readRegistryQuery, registryPage } from './registry-page.js';

type Shared = 'findKey' | 'insertOrganization' | 'findOrganization' | 'updateOrganization' | 'setBudget' | 'findBudget';

/** The first id that a key names and its organization has no budget of. */
export interface UnknownBudget {
  /** As the key names it. */
  readonly unknownBudget: string;
}

interface KeyStorage extends Pick<ApiKeyRegistry, Shared> {
  findByHash(hash: string): Promise<FoundApiKey | undefined>;
  /** Also adds an unknown organization of the key. @returns `false`, without a change, if the id or the hash is taken. */
  insertKey(key: StoredApiKey): Promise<boolean | UnknownBudget>;
  updateKey(id: string, change: ApiKeyChange): Promise<ApiKeyRecord | UnknownBudget | undefined>;
  /** In order of creation, ties by id: the keys of the page, and the next key, if any. */
  listKeys(range: RegistryRange): Promise<readonly ApiKeyRecord[]>;
  /** In order of creation, ties by id: the organizations of the page, and the next organization, if any. */
  listOrganizations(range: RegistryRange): Promise<readonly Organization[]>;
  /** As `listKeys`; the range names the organization. */
  listBudgets(range: RegistryRange): Promise<readonly Budget[]>;
  /** @returns whether it was set, or up to ten ids of keys that name it and are not revoked: then nothing changes. */
  deleteBudget(organizationId: string, id: string): Promise<boolean | readonly string[]>;
}

/** A key with every field that engines store. */
export type StoredApiKey = ApiKeyRecord &
  Required<Pick<ApiKeyRecord, 'budgets' | 'rateLimit' | 'maxConcurrent' | 'domains'>>;

/** The operations of an `ApiKeyRegistry`, with checked arguments, and records with every field. Each operation is one atomic step. */
export type ApiKeyRegistryEngine = EngineOf<KeyStorage>;

const OPERATIONS = Object.keys(REGISTRY_CHECKS) as (keyof KeyStorage)[];

/**
 * Makes an {@link ApiKeyRegistry} of an engine: checks arguments, reads and makes cursors.
 *
 * @param open the open state of the ledger that the registry belongs to. Default: always open.
 */
export function createApiKeyRegistry(engine: ApiKeyRegistryEngine, open?: OpenState): ApiKeyRegistry {
  const checks: ArgumentChecks<KeyStorage, ApiKeyRegistryEngine> = REGISTRY_CHECKS;
  const storage = wrapOperations<KeyStorage>(engine, OPERATIONS, { interceptor: open, checks });
  return {
    ...storage,
    async findByHash(hash) {
      const found = await storage.findByHash(hash);
      return found && apiKeyOfRecord(found);
    },
    async insertKey(key) {
      if (known(await storage.insertKey(key as StoredApiKey))) return;
      throw new LedgerError('duplicate_key', `a key with the id ${key.id} or the same secret exists already`);
    },
    async updateKey(id, change) {
      if (change.limit === null || change.limitReset != null) {
        const key = await storage.findKey(id);
        const { limit = key?.limit ?? null, limitReset = key?.limitReset ?? null } = change;
        if (key !== undefined) checkResetHasLimit({ limit, limitReset });
      }
      return known(await storage.updateKey(id, change));
    },
    listKeys: async (query) => pageOf(storage.listKeys, query),
    listOrganizations: async (query) => pageOf(storage.listOrganizations, query),
    listBudgets: async (organizationId, query) => pageOf(storage.listBudgets, { ...query, organizationId }),
    async deleteBudget(organizationId, id) {
      const deleted = await storage.deleteBudget(organizationId, id);
      if (typeof deleted === 'boolean') return deleted;
      throw new LedgerError('budget_in_use', `id: the budget ${id} is named by the keys ${deleted.join(', ')}`);
    },
  };
}

async function pageOf<T extends RegistryPosition>(
  list: (range: RegistryRange) => Promise<readonly T[]>,
  query: Parameters<typeof readRegistryQuery>[0],
): Promise<RegistryPage<T>> {
  const range = readRegistryQuery(query);
  return registryPage(await list(range), range.pageSize);
}

function known<T>(result: T | UnknownBudget): T {
  if (typeof result !== 'object' || result === null || !('unknownBudget' in result)) return result;
  throw new LedgerError('unknown_budget', `budgets: the organization has no budget ${result.unknownBudget}`);
}
