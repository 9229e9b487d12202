import type { ApiKeyRegistryEngine, RegistryRange } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
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
} from '../scripts/key-scripts.js';
import {
  changesOfKey,
  changesOfOrganization,
  parseKey,
  parseOrganization,
  recordOfKey,
  recordOfOrganization,
} from './key-records.js';

/** API keys and organizations, each operation one script. */
export function redisApiKeys({ run }: Scripts): ApiKeyRegistryEngine {
  return {
    async findByHash(hash) {
      const [key, organization] = await run(FIND_BY_HASH, [hash]);
      if (key === undefined || organization === undefined) return undefined;
      return { key: parseKey(key), organization: parseOrganization(organization) };
    },
    async insertKey(key) {
      const { id, hash, organizationId, createdAtMs } = key;
      return (await run(INSERT_KEY, [id, hash, organizationId, `${createdAtMs}`, recordOfKey(key)]))[0] === '1';
    },
    findKey: async (id) => (await run(FIND_KEY, [id])).map(parseKey)[0],
    updateKey: async (id, change) => (await run(UPDATE_KEY, [id, ...changesOfKey(change)])).map(parseKey)[0],
    async listKeys(range) {
      const { organizationId } = range;
      const list = organizationId === undefined ? LIST_KEYS : LIST_KEYS_OF;
      return (await run(list, [...valuesOf(range), organizationId ?? ''])).map(parseKey);
    },
    async insertOrganization(organization) {
      const { id, createdAtMs } = organization;
      const values = [id, `${createdAtMs}`, recordOfOrganization(organization)];
      return (await run(INSERT_ORGANIZATION, values))[0] === '1';
    },
    findOrganization: async (id) => (await run(FIND_ORGANIZATION, [id])).map(parseOrganization)[0],
    updateOrganization: async (id, change) =>
      (await run(UPDATE_ORGANIZATION, [id, ...changesOfOrganization(change)])).map(parseOrganization)[0],
    listOrganizations: async (range) => (await run(LIST_ORGANIZATIONS, valuesOf(range))).map(parseOrganization),
  };
}

/** One record more than the page holds tells that there is a next page. */
function valuesOf({ after, pageSize }: RegistryRange): string[] {
  return [after?.id ?? '', `${after?.createdAtMs ?? 0}`, `${pageSize + 1}`];
}
