import {
  type ApiKeyRecord,
  type ApiKeyRegistry,
  apiKeyOfRecord,
  checkApiKeyChange,
  checkApiKeyRecord,
  checkLedgerId,
  checkOrganization,
  checkOrganizationChange,
  type Organization,
  type RegistryPage,
  type RegistryPosition,
  type RegistryRange,
  readRegistryQuery,
  registryPage,
} from '@searchgate/core';
import type { Scripts } from './create-scripts.js';
import { fieldsOf, parseKey, parseKeys, parseOrganization, parseOrganizations } from './parse-records.js';
import {
  FIND_BY_HASH,
  FIND_RECORD,
  INSERT_KEY,
  INSERT_ORGANIZATION,
  LIST_RECORDS,
  UPDATE_RECORD,
} from './scripts/key-scripts.js';

/** API keys and organisations, each verb one script. */
export function redisRegistry(scripts: Scripts): ApiKeyRegistry {
  return {
    async findByHash(hash) {
      const reply = await scripts.run(FIND_BY_HASH, [hash]);
      const record = parseKey(reply);
      return record && apiKeyOfRecord(record, reply.at(-1) !== 'null');
    },
    async insertKey(key) {
      scripts.assertOpen();
      checkApiKeyRecord(key);
      const { id, hash, organizationId, createdAtMs } = key;
      await scripts.run(INSERT_KEY, [id, hash, organizationId, `${createdAtMs}`, ...fieldsOf(key)]);
    },
    async findKey(id) {
      scripts.assertOpen();
      checkLedgerId('id', id);
      return parseKey(await scripts.run(FIND_RECORD, ['api-key', id]));
    },
    async updateKey(id, change) {
      scripts.assertOpen();
      checkApiKeyChange(id, change);
      return parseKey(await scripts.run(UPDATE_RECORD, ['api-key', id, ...fieldsOf(change)]));
    },
    async listKeys(query) {
      scripts.assertOpen();
      const range = readRegistryQuery(query);
      const { organizationId } = range;
      const list = organizationId === undefined ? 'api-keys' : `api-keys-of:${organizationId}`;
      return page(await listOf(scripts, ['api-key', list], range), { parse: parseKeys, range });
    },
    async insertOrganization(organization) {
      scripts.assertOpen();
      checkOrganization(organization);
      const { id, createdAtMs } = organization;
      const [inserted] = await scripts.run(INSERT_ORGANIZATION, [id, `${createdAtMs}`, ...fieldsOf(organization)]);
      return inserted === '1';
    },
    async findOrganization(id) {
      scripts.assertOpen();
      checkLedgerId('id', id);
      return parseOrganization(await scripts.run(FIND_RECORD, ['organization', id]));
    },
    async updateOrganization(id, change) {
      scripts.assertOpen();
      checkOrganizationChange(id, change);
      return parseOrganization(await scripts.run(UPDATE_RECORD, ['organization', id, ...fieldsOf(change)]));
    },
    async listOrganizations(query) {
      scripts.assertOpen();
      const range = readRegistryQuery(query);
      const reply = await listOf(scripts, ['organization', 'organizations'], range);
      return page(reply, { parse: parseOrganizations, range });
    },
  };
}

/** One record more than the page holds tells that there is a next page. */
function listOf(scripts: Scripts, list: [kind: string, name: string], { after, pageSize }: RegistryRange) {
  return scripts.run(LIST_RECORDS, [...list, after?.id ?? '', `${pageSize + 1}`]);
}

interface Reading<T> {
  readonly parse: (reply: readonly string[]) => T[];
  readonly range: RegistryRange;
}

function page<T extends RegistryPosition & (ApiKeyRecord | Organization)>(
  reply: readonly string[],
  { parse, range }: Reading<T>,
): RegistryPage<T> {
  return registryPage(parse(reply), range.pageSize);
}
