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
  async function find<R extends Limited>(name: string, values: readonly string[]): Promise<R | undefined> {
    const row = await read<Row<R>>(name, () => values);
    return row && recordOf(row);
  }
  async function list<R extends Limited>(name: string, range: RegistryRange): Promise<R[]> {
    const values = [...valuesOf(range), range.organizationId ?? null];
    return ((await read<Row<R>[]>(name, () => values)) ?? []).map(recordOf);
  }

  return {
    async findByHash(hash) {
      const found = await read<FoundRow>('find_key_by_hash', () => [hash]);
      return found && { ...found, key: recordOf(found.key), budgets: found.budgets?.map(recordOf) };
    },
    async insertKey(key) {
      return (await write<boolean | UnknownBudget>('insert_key', { key: rowOf(key), token: randomUUID() })) ?? false;
    },
    findKey: (id) => find<ApiKeyRecord>('find_key', [id]),
    async updateKey(id, change) {
      const row = await write<Row<ApiKeyRecord> | UnknownBudget>('update_key', { id, change: rowOf(change) });
      return row && 'unknownBudget' in row ? row : row && recordOf(row);
    },
    listKeys: (range) => list<ApiKeyRecord>('list_keys', range),
    async insertOrganization(organization) {
      const argument = { organization: rowOf(organization), token: randomUUID() };
      return (await write<boolean>('insert_organization', argument)) === true;
    },
    findOrganization: (id) => read<Organization>('find_organization', () => [id]),
    updateOrganization: (id, change) => write<Organization>('update_organization', { id, change: rowOf(change) }),
    async setBudget(budget) {
      const { key_limit, ...fields } = rowOf(budget);
      return recordOf((await write<Row<Budget>>('set_budget', { ...fields, budget_limit: key_limit })) as Row<Budget>);
    },
    findBudget: (organizationId, id) => find<Budget>('find_budget', [organizationId, id]),
    listBudgets: (range) => list<Budget>('list_budgets', range),
    deleteBudget: async (organizationId, id) =>
      (await write<boolean | string[]>('delete_budget', { organizationId, id })) ?? false,
    listOrganizations: async (range) => (await read<Organization[]>('list_organizations', () => valuesOf(range))) ?? [],
  };
}

function valuesOf({ after, pageSize }: RegistryRange): readonly unknown[] {
  return [after?.createdAtMs ?? -1, after?.id ?? '', pageSize + 1];
}

type Limited = ApiKeyRecord | Budget;

/** A key or a budget as the functions of the schema give it. */
type Row<R extends Limited> = Omit<R, 'limit'> & { readonly limit: string | null };

interface FoundRow {
  readonly key: Row<ApiKeyRecord>;
  readonly organization: Organization;
  readonly budgets: Row<Budget>[] | null;
}

function recordOf<R extends Limited>(row: Row<R>): R {
  return { ...row, limit: row.limit === null ? null : BigInt(row.limit) } as R;
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
