import type { SealedKey, TenantKeyStoreEngine } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { SqliteValue } from '../engine/connection.js';
import { plain, rowsOf, whole } from '../engine/rows.js';

const TABLE = 'searchgate_tenant_keys';
const { columns, marks, valuesOf, recordOf } = rowsOf<SealedKey>({
  organizationId: plain('organization_id'),
  providerId: plain('provider_id'),
  sealed: plain('sealed'),
  hostKeyId: plain('host_key_id'),
  lastCharacters: plain('last_characters'),
  createdAtMs: whole('created_at_ms'),
});
const WHICH = 'WHERE organization_id = ? AND provider_id = ?';
const SELECT = `SELECT ${columns} FROM ${TABLE}`;
const PUT = `INSERT OR REPLACE INTO ${TABLE} (${columns}) VALUES (${marks})`;
const RESEAL = `UPDATE ${TABLE} SET (${columns}) = (${marks}) ${WHICH} AND sealed = ?`;
const LIST = `${SELECT} WHERE organization_id = ? ORDER BY provider_id`;
/** As two ranges of an index, since most rows are sealed by the same key. */
const BY_HOST_KEY = `${SELECT} INDEXED BY searchgate_tenant_keys_by_host_key WHERE host_key_id`;
const SEALED_BY_OTHERS = `${BY_HOST_KEY} < ? UNION ALL ${BY_HOST_KEY} > ? LIMIT 1000`;
const DELETE = `DELETE FROM ${TABLE} ${WHICH}`;

/** The encrypted vendor keys of organizations in the ledger's database. */
export function sqliteTenantKeys({ read, write }: Access): TenantKeyStoreEngine {
  /** @returns how many rows were changed. */
  const change = (sql: string, ...values: readonly SqliteValue[]) =>
    write(({ connection }) => connection.statement(sql).run(...values));
  const select = (sql: string, ...values: readonly string[]) =>
    read((connection) =>
      connection
        .tuples(sql)
        .all(...values)
        .map((row) => recordOf(row)),
    );
  return {
    async put(key, before) {
      if (before === undefined) return (await change(PUT, ...valuesOf(key))) > 0;
      return (await change(RESEAL, ...valuesOf(key), key.organizationId, key.providerId, before)) > 0;
    },
    list: (organizationId) => select(LIST, organizationId),
    listSealedByOthers: (hostKeyId) => select(SEALED_BY_OTHERS, hostKeyId, hostKeyId),
    delete: (organizationId, providerId) => change(DELETE, organizationId, providerId).then((deleted) => deleted > 0),
  };
}
