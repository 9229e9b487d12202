import { LedgerError } from '../base/errors/ledger-error.js';
import { checkLedgerId } from '../base/options/check-argument.js';
import {
  type ArgumentChecks,
  createOpenState,
  type MaybePromise,
  type OpenState,
  wrapOperations,
} from '../base/options/open-state.js';
import { apiKeyOfRecord, type OrganizationOfKey } from './api-key-of-record.js';
import type {
  ApiKeyChange,
  ApiKeyRecord,
  ApiKeyRegistry,
  Organization,
  OrganizationChange,
} from './api-key-registry.js';
import {
  checkApiKeyChange,
  checkApiKeyRecord,
  checkOrganization,
  checkOrganizationChange,
  checkResetHasLimit,
} from './check-registry-arguments.js';
import { type RegistryRange, readRegistryQuery, registryPage } from './registry-page.js';

/** The operations of an `ApiKeyRegistry`, with checked arguments, and records with every field. Each operation is one atomic step. */
export interface ApiKeyRegistryEngine {
  findByHash(hash: string): MaybePromise<FoundApiKey | undefined>;
  /** Also adds an unknown organization of the key. @returns `false`, without a change, if the id or the hash is taken. */
  insertKey(key: ApiKeyRecord): MaybePromise<boolean>;
  findKey(id: string): MaybePromise<ApiKeyRecord | undefined>;
  /** Changes the given fields; the first revocation stands. */
  updateKey(id: string, change: ApiKeyChange): MaybePromise<ApiKeyRecord | undefined>;
  /** In order of creation, ties by id: the keys of the page, and the next key, if any. */
  listKeys(range: RegistryRange): MaybePromise<readonly ApiKeyRecord[]>;
  /** @returns whether the organization was new. */
  insertOrganization(organization: Organization): MaybePromise<boolean>;
  findOrganization(id: string): MaybePromise<Organization | undefined>;
  updateOrganization(id: string, change: OrganizationChange): MaybePromise<Organization | undefined>;
  /** In order of creation, ties by id: the organizations of the page, and the next organization, if any. */
  listOrganizations(range: RegistryRange): MaybePromise<readonly Organization[]>;
}

export interface FoundApiKey {
  readonly key: ApiKeyRecord;
  /** `undefined` for an unknown organization. */
  readonly organization: OrganizationOfKey | undefined;
}

/** The limits with `null` for absent fields, because engines store every field. */
function ownLimits({ rateLimit = null, maxConcurrent = null }: Pick<Organization, 'rateLimit' | 'maxConcurrent'>) {
  return { rateLimit, maxConcurrent };
}

const CHECKS = {
  findKey: (id) => checkLedgerId('id', id),
  insertOrganization(organization) {
    checkOrganization(organization);
    const { operatorPays = false } = organization;
    return [{ ...organization, ...ownLimits(organization), operatorPays }];
  },
  findOrganization: (id) => checkLedgerId('id', id),
  updateOrganization: checkOrganizationChange,
} satisfies Partial<ArgumentChecks<ApiKeyRegistry, ApiKeyRegistryEngine>>;

const OPERATIONS = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

/**
 * Makes an {@link ApiKeyRegistry} of an engine: checks arguments, reads and makes cursors.
 *
 * @param open the open state of the ledger that the registry belongs to. Default: always open.
 */
export function createApiKeyRegistry(
  engine: ApiKeyRegistryEngine,
  open: OpenState = createOpenState(),
): ApiKeyRegistry {
  return {
    ...wrapOperations<Pick<ApiKeyRegistry, keyof typeof CHECKS>>(engine, OPERATIONS, {
      interceptor: open,
      checks: CHECKS,
    }),
    async findByHash(hash) {
      open.check();
      const found = await open.during(engine.findByHash(hash));
      return found && apiKeyOfRecord(found.key, found.organization);
    },
    async insertKey(key) {
      open.check();
      checkApiKeyRecord(key);
      if (await open.during(engine.insertKey({ ...key, ...ownLimits(key) }))) return;
      throw new LedgerError('duplicate_key', `a key with the id ${key.id} or the same secret exists already`);
    },
    async updateKey(id, change) {
      open.check();
      checkApiKeyChange(id, change);
      if (change.limit === null || change.limitReset != null) {
        const key = await open.during(engine.findKey(id));
        const { limit = key?.limit ?? null, limitReset = key?.limitReset ?? null } = change;
        if (key !== undefined) checkResetHasLimit({ limit, limitReset });
      }
      return open.during(engine.updateKey(id, change));
    },
    async listKeys(query) {
      open.check();
      const range = readRegistryQuery(query);
      return registryPage(await open.during(engine.listKeys(range)), range.pageSize);
    },
    async listOrganizations(query) {
      open.check();
      const range = readRegistryQuery(query);
      return registryPage(await open.during(engine.listOrganizations(range)), range.pageSize);
    },
  };
}
