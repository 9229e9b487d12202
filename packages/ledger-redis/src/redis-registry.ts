import {
  type ApiKeyRegistry,
  apiKeyOfRecord,
  checkApiKeyChange,
  checkApiKeyRecord,
  checkLedgerId,
  checkOrganization,
  checkOrganizationChange,
  type RegistryRange,
  readRegistryQuery,
  registryPage,
} from '@searchgate/core/ledger';
import type { Scripts } from './create-scripts.js';
import {
  changesOfKey,
  changesOfOrganization,
  parseKey,
  parseOrganization,
  recordOfKey,
  recordOfOrganization,
} from './parse-records.js';
import {
  FIND_BY_HASH,
  FIND_KEY,
  FIND_ORGANIZATION,
  INSERT_KEY,
  INSERT_ORGANIZATION,
  LIST_KEYS,
  LIST_KEYS_OF,
  LIST_ORGANIZATIONS,
  UPDATE_KEY,
  UPDATE_ORGANIZATION,
} from './scripts/key-scripts.js';

/** API keys and organizations, each verb one script. */
export function redisRegistry(scripts: Scripts): ApiKeyRegistry {
  return {
    async findByHash(hash) {
      const [key, organization] = await scripts.run(FIND_BY_HASH, [hash]);
      if (key === undefined || organization === undefined) return undefined;
      return apiKeyOfRecord(parseKey(key), parseOrganization(organization).suspendedAtMs !== null);
    },
    async insertKey(key) {
      scripts.assertOpen();
      checkApiKeyRecord(key);
      const { id, hash, organizationId, createdAtMs } = key;
      await scripts.run(INSERT_KEY, [id, hash, organizationId, `${createdAtMs}`, recordOfKey(key)]);
    },
    async findKey(id) {
      scripts.assertOpen();
      checkLedgerId('id', id);
      return (await scripts.run(FIND_KEY, [id])).map(parseKey)[0];
    },
    async updateKey(id, change) {
      scripts.assertOpen();
      checkApiKeyChange(id, change);
      return (await scripts.run(UPDATE_KEY, [id, ...changesOfKey(change)])).map(parseKey)[0];
    },
    async listKeys(query) {
      scripts.assertOpen();
      const range = readRegistryQuery(query);
      const { organizationId } = range;
      const list = organizationId === undefined ? LIST_KEYS : LIST_KEYS_OF;
      const values = [...valuesOf(range), organizationId ?? ''];
      return registryPage((await scripts.run(list, values)).map(parseKey), range.pageSize);
    },
    async insertOrganization(organization) {
      scripts.assertOpen();
      checkOrganization(organization);
      const { id, createdAtMs } = organization;
      const values = [id, `${createdAtMs}`, recordOfOrganization(organization)];
      return (await scripts.run(INSERT_ORGANIZATION, values))[0] === '1';
    },
    async findOrganization(id) {
      scripts.assertOpen();
      checkLedgerId('id', id);
      return (await scripts.run(FIND_ORGANIZATION, [id])).map(parseOrganization)[0];
    },
    async updateOrganization(id, change) {
      scripts.assertOpen();
      checkOrganizationChange(id, change);
      return (await scripts.run(UPDATE_ORGANIZATION, [id, ...changesOfOrganization(change)])).map(parseOrganization)[0];
    },
    async listOrganizations(query) {
      scripts.assertOpen();
      const range = readRegistryQuery(query);
      return registryPage(
        (await scripts.run(LIST_ORGANIZATIONS, valuesOf(range))).map(parseOrganization),
        range.pageSize,
      );
    },
  };
}

/** One record more than the page holds tells that there is a next page. */
function valuesOf({ after, pageSize }: RegistryRange): string[] {
  return [after?.id ?? '', `${after?.createdAtMs ?? 0}`, `${pageSize + 1}`];
}
