import { randomUUID } from 'node:crypto';
import type {
  ApiKeyRecord,
  ApiKeyRegistryEngine,
  Budget,
  Organization,
  RegistryRange,
  UnknownBudget,
} from '@searchgate/core/ledger';
import { columnOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';

/** The registry: one statement for each operation, so each is one atomic step and sees what was acknowledged before. */
export function postgresApiKeys({ read, write }: Database): ApiKeyRegistryEngine {
  return {
    async findByHash(hash) {
      const found = await read<FoundRow>('find_key_by_hash', () => [hash]);
      return found && { ...found, key: keyOfRow(found.key), budgets: found.budgets?.map(budgetOfRow) };
    },
    async insertKey(key) {
      return (await write<boolean | UnknownBudget>('insert_key', { key: rowOf(key), token: randomUUID() })) ?? false;
    },
    async findKey(id) {
      const row = await read<KeyRow>('find_key', () => [id]);
      return row && keyOfRow(row);
    },
    async updateKey(id, change) {
      const row = await write<KeyRow | UnknownBudget>('update_key', { id, change: rowOf(change) });
      return row && 'unknownBudget' in row ? row : row && keyOfRow(row);
    },
    async listKeys(range) {
      const values = [...valuesOf(range), range.organizationId ?? null];
      return ((await read<KeyRow[]>('list_keys', () => values)) ?? []).map(keyOfRow);
    },
    async insertOrganization(organization) {
      const argument = { organization: rowOf(organization), token: randomUUID() };
      return (await write<boolean>('insert_organization', argument)) === true;
    },
    findOrganization: (id) => read<Organization>('find_organization', () => [id]),
    updateOrganization: (id, change) => write<Organization>('update_organization', { id, change: rowOf(change) }),
    async setBudget(budget) {
      const { key_limit, ...fields } = rowOf(budget);
      return budgetOfRow((await write<BudgetRow>('set_budget', { ...fields, budget_limit: key_limit })) as BudgetRow);
    },
    async findBudget(organizationId, id) {
      const row = await read<BudgetRow>('find_budget', () => [organizationId, id]);
      return row && budgetOfRow(row);
    },
    async listBudgets(range) {
      const values = [...valuesOf(range), range.organizationId ?? null];
      return ((await read<BudgetRow[]>('list_budgets', () => values)) ?? []).map(budgetOfRow);
    },
    deleteBudget: async (organizationId, id) =>
      (await write<boolean | string[]>('delete_budget', { organizationId, id })) ?? false,
    listOrganizations: async (range) => (await read<Organization[]>('list_organizations', () => valuesOf(range))) ?? [],
  };
}

function valuesOf({ after, pageSize }: RegistryRange): readonly unknown[] {
  return [after?.createdAtMs ?? -1, after?.id ?? '', pageSize + 1];
}

/** A key as the functions of the schema give it. */
type KeyRow = Omit<ApiKeyRecord, 'limit'> & { readonly limit: string | null };

type BudgetRow = Omit<Budget, 'limit'> & { readonly limit: string };

interface FoundRow {
  readonly key: KeyRow;
  readonly organization: Organization;
  readonly budgets: BudgetRow[] | null;
}

function keyOfRow(row: KeyRow): ApiKeyRecord {
  return { ...row, limit: row.limit === null ? null : BigInt(row.limit) };
}

function budgetOfRow(row: BudgetRow): Budget {
  return { ...row, limit: BigInt(row.limit) };
}

/** The columns of the fields that are given. Absent fields are absent from the JSON. */
function rowOf(record: Partial<ApiKeyRecord> | Partial<Organization> | Budget): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field === 'limit' ? 'key_limit' : columnOf(field), valueOf(value)]),
  );
}

function valueOf(value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
