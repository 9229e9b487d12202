import { type ApiKeyRegistryEngine, budgetName, type RegistryRange } from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import {
  DELETE_BUDGET,
  FIND_BUDGET,
  FIND_BY_HASH,
  FIND_KEY,
  FIND_ORGANIZATION,
  INSERT_KEY,
  INSERT_ORGANIZATION,
  LIST_BUDGETS,
  LIST_KEYS,
  LIST_KEYS_OF,
  LIST_ORGANIZATIONS,
  SET_BUDGET,
  UPDATE_KEY,
  UPDATE_ORGANIZATION,
} from '../scripts/key-scripts.js';
import { BUDGETS, KEYS, ORGANIZATIONS } from './key-records.js';

/** API keys and organizations, each operation one script. */
export function redisApiKeys({ run }: Scripts): ApiKeyRegistryEngine {
  return {
    async findByHash(hash) {
      const [key, organization, ...budgets] = await run(FIND_BY_HASH, [hash]);
      if (key === undefined || organization === undefined) return undefined;
      return {
        key: KEYS.parse(key),
        organization: ORGANIZATIONS.parse(organization),
        budgets: budgets.map(BUDGETS.parse),
      };
    },
    async insertKey(key) {
      const { id, hash, organizationId, createdAtMs, budgets } = key;
      const values = [id, hash, organizationId, `${createdAtMs}`, JSON.stringify(budgets), KEYS.write(key)];
      return (await run(INSERT_KEY, values))[0] === '1';
    },
    findKey: async (id) => (await run(FIND_KEY, [id])).map(KEYS.parse)[0],
    updateKey: async (id, change) => (await run(UPDATE_KEY, [id, ...KEYS.changes(change)])).map(KEYS.parse)[0],
    async listKeys(range) {
      const { organizationId } = range;
      const list = organizationId === undefined ? LIST_KEYS : LIST_KEYS_OF;
      return (await run(list, [...valuesOf(range), organizationId ?? ''])).map(KEYS.parse);
    },
    async insertOrganization(organization) {
      const { id, createdAtMs } = organization;
      const values = [id, `${createdAtMs}`, ORGANIZATIONS.write(organization)];
      return (await run(INSERT_ORGANIZATION, values))[0] === '1';
    },
    findOrganization: async (id) => (await run(FIND_ORGANIZATION, [id])).map(ORGANIZATIONS.parse)[0],
    updateOrganization: async (id, change) =>
      (await run(UPDATE_ORGANIZATION, [id, ...ORGANIZATIONS.changes(change)])).map(ORGANIZATIONS.parse)[0],
    listOrganizations: async (range) => (await run(LIST_ORGANIZATIONS, valuesOf(range))).map(ORGANIZATIONS.parse),
    async setBudget(budget) {
      const { organizationId, id, createdAtMs } = budget;
      const [record] = await run(SET_BUDGET, [organizationId, id, `${createdAtMs}`, BUDGETS.write(budget)]);
      return BUDGETS.parse(record ?? '');
    },
    findBudget: async (organizationId, id) =>
      (await run(FIND_BUDGET, [budgetName(organizationId, id)])).map(BUDGETS.parse)[0],
    listBudgets: async (range) =>
      (await run(LIST_BUDGETS, [...valuesOf(range), range.organizationId ?? ''])).map(BUDGETS.parse),
    deleteBudget: async (organizationId, id) => (await run(DELETE_BUDGET, [organizationId, id]))[0] === '1',
  };
}

/** One record more than the page holds tells that there is a next page. */
function valuesOf({ after, pageSize }: RegistryRange): string[] {
  return [after?.id ?? '', `${after?.createdAtMs ?? 0}`, `${pageSize + 1}`];
}
