import { LedgerError } from '../base/errors/ledger-error.js';
import { checkLedgerId } from '../base/options/check-argument.js';
import {
  type ArgumentChecks,
  createOpenState,
  type EngineOf,
  type OpenState,
  wrapOperations,
} from '../base/options/open-state.js';
import { apiKeyOfRecord, type OrganizationOfKey } from './api-key-of-record.js';
import type { ApiKeyRecord, ApiKeyRegistry, Organization } from './api-key-registry.js';
import {
  checkApiKeyChange,
  checkApiKeyRecord,
  checkOrganization,
  checkOrganizationChange,
  checkResetHasLimit,
} from './check-registry-arguments.js';
import { type RegistryRange, readRegistryQuery, registryPage } from './registry-page.js';

type Shared = 'findKey' | 'updateKey' | 'insertOrganization' | 'findOrganization' | 'updateOrganization';

interface KeyStorage extends Pick<ApiKeyRegistry, Shared> {
  findByHash(hash: string): Promise<FoundApiKey | undefined>;
  /** Also adds an unknown organization of the key. @returns `false`, without a change, if the id or the hash is taken. */
  insertKey(key: ApiKeyRecord): Promise<boolean>;
  /** In order of creation, ties by id: the keys of the page, and the next key, if any. */
  listKeys(range: RegistryRange): Promise<readonly ApiKeyRecord[]>;
  /** In order of creation, ties by id: the organizations of the page, and the next organization, if any. */
  listOrganizations(range: RegistryRange): Promise<readonly Organization[]>;
}

/** The operations of an `ApiKeyRegistry`, with checked arguments, and records with every field. Each operation is one atomic step. */
export type ApiKeyRegistryEngine = EngineOf<KeyStorage>;

/** A key that was found by its hash. */
export interface FoundApiKey {
  /** With every field. */
  readonly key: ApiKeyRecord;
  /** `undefined` for an unknown organization. */
  readonly organization: OrganizationOfKey | undefined;
}

/** The limits with `null` for absent fields, because engines store every field. */
function ownLimits({ rateLimit = null, maxConcurrent = null }: Pick<Organization, 'rateLimit' | 'maxConcurrent'>) {
  return { rateLimit, maxConcurrent };
}

const CHECKS: ArgumentChecks<KeyStorage, ApiKeyRegistryEngine> = {
  findByHash: () => undefined,
  insertKey(key) {
    checkApiKeyRecord(key);
    return [{ ...key, ...ownLimits(key) }];
  },
  findKey: (id) => checkLedgerId('id', id),
  updateKey: checkApiKeyChange,
  listKeys: () => undefined,
  insertOrganization(organization) {
    checkOrganization(organization);
    const { operatorPays = false } = organization;
    return [{ ...organization, ...ownLimits(organization), operatorPays }];
  },
  findOrganization: (id) => checkLedgerId('id', id),
  updateOrganization: checkOrganizationChange,
  listOrganizations: () => undefined,
};

const OPERATIONS = Object.keys(CHECKS) as (keyof KeyStorage)[];

/**
 * Makes an {@link ApiKeyRegistry} of an engine: checks arguments, reads and makes cursors.
 *
 * @param open the open state of the ledger that the registry belongs to. Default: always open.
 */
export function createApiKeyRegistry(
  engine: ApiKeyRegistryEngine,
  open: OpenState = createOpenState(),
): ApiKeyRegistry {
  const storage = wrapOperations<KeyStorage>(engine, OPERATIONS, { interceptor: open, checks: CHECKS });
  return {
    ...storage,
    async findByHash(hash) {
      const found = await storage.findByHash(hash);
      return found && apiKeyOfRecord(found.key, found.organization);
    },
    async insertKey(key) {
      if (await storage.insertKey(key)) return;
      throw new LedgerError('duplicate_key', `a key with the id ${key.id} or the same secret exists already`);
    },
    async updateKey(id, change) {
      if (change.limit === null || change.limitReset != null) {
        const key = await storage.findKey(id);
        const { limit = key?.limit ?? null, limitReset = key?.limitReset ?? null } = change;
        if (key !== undefined) checkResetHasLimit({ limit, limitReset });
      }
      return storage.updateKey(id, change);
    },
    async listKeys(query) {
      const range = readRegistryQuery(query);
      return registryPage(await storage.listKeys(range), range.pageSize);
    },
    async listOrganizations(query) {
      const range = readRegistryQuery(query);
      return registryPage(await storage.listOrganizations(range), range.pageSize);
    },
  };
}
