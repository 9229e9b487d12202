import type { ApiKeyRecord, Organization, RateLimit, RegistryRange } from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { type Fields, flag, ids, json, plain, rowsOf, whole } from '../engine/rows.js';

/** `null` for no limit. */
const LIMITS = {
  rateLimit: {
    columns: ['rate_requests', 'rate_period_ms'],
    store: (limit: RateLimit | null | undefined) =>
      limit == null ? [null, null] : [BigInt(limit.requests), BigInt(limit.periodMs)],
    load: (row: readonly SqliteValue[], at: number) =>
      row[at] === null ? null : { requests: Number(row[at]), periodMs: Number(row[at + 1]) },
  },
  maxConcurrent: whole<number | null | undefined>('max_concurrent'),
};

/** The API keys. */
export const KEYS = tableOf<ApiKeyRecord>('searchgate_api_keys', {
  id: plain('id'),
  hash: plain('hash'),
  organizationId: plain('organization_id'),
  label: plain('label'),
  limit: plain('spend_limit'),
  limitReset: plain('limit_reset'),
  allowedModels: json('allowed_models'),
  budgets: ids('budgets', []),
  domains: json('domains'),
  ...LIMITS,
  createdAtMs: whole('created_at_ms'),
  expiresAtMs: whole('expires_at_ms'),
  revokedAtMs: whole('revoked_at_ms'),
});

/** The organizations that keys belong to. */
export const ORGANIZATIONS = tableOf<Organization>('searchgate_organizations', {
  id: plain('id'),
  name: plain('name'),
  createdAtMs: whole('created_at_ms'),
  suspendedAtMs: whole('suspended_at_ms'),
  ...LIMITS,
  operatorPays: flag('operator_pays'),
  domains: json('domains'),
});

/** Records that are listed in order of creation. */
export function tableOf<R extends { readonly id: string }>(table: string, fields: Fields<R>) {
  const { columns, marks, valuesOf, recordOf } = rowsOf<R>(fields);
  const read = `SELECT ${columns} FROM ${table}`;
  const insert = `INSERT INTO ${table} (${columns}) VALUES (${marks}) ON CONFLICT DO NOTHING`;
  const update = `UPDATE ${table} SET (${columns}) = (${marks}) WHERE id = ?`;

  function find(connection: Connection, value: string, column: 'id' | 'hash' = 'id'): R | undefined {
    const row = connection.tuples(`${read} WHERE ${column} = ?`).get(value);
    return row && recordOf(row);
  }

  return {
    find,
    /** @returns `false` where an id or a hash is taken. */
    insert(connection: Connection, record: R): boolean {
      return connection.statement(insert).run(...valuesOf(record)) > 0;
    },
    /** @returns the changed record; `undefined` for an unknown id. */
    update(connection: Connection, id: string, change: (record: R) => R): R | undefined {
      const record = find(connection, id);
      if (record === undefined) return undefined;
      connection.statement(update).run(...valuesOf(change(record)), id);
      return find(connection, id);
    },
    /** The records of a page, and one more if there is one. In order of creation, ties by id. */
    list(connection: Connection, { organizationId, after, pageSize }: RegistryRange): R[] {
      const position = after === null ? [] : [BigInt(after.createdAtMs), after.id];
      const owner = organizationId === undefined ? [] : [organizationId];
      const conditions = [
        ...owner.map(() => 'organization_id = ?'),
        ...(after === null ? [] : ['(created_at_ms, id) > (?, ?)']),
      ];
      const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
      const sql = `${read}${where} ORDER BY created_at_ms, id LIMIT ?`;
      return connection
        .tuples(sql)
        .all(...owner, ...position, BigInt(pageSize + 1))
        .map((row) => recordOf(row));
    },
  };
}
