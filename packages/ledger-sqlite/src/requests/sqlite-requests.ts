import {
  cursorOf,
  type DurableLedgerEngine,
  placeOf,
  type RequestFilter,
  type RequestPage,
  type RequestPageQuery,
  statusRange,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { REQUESTS } from './request-rows.js';

const TABLE = 'searchgate_requests';
const NEWEST = 'ORDER BY at_ms DESC, request_id DESC';
/** Most rows that are read for a page: behind them the page ends, so that a rare filter holds up nobody. */
const MAX_READ = 10_000n;
/** Most rows that are removed in one transaction. */
const MAX_REMOVED = 1_000n;

const INSERT = `INSERT OR REPLACE INTO ${TABLE} (${REQUESTS.columns}) VALUES (${REQUESTS.marks})`;
const GET = `SELECT ${REQUESTS.columns} FROM ${TABLE} WHERE request_id = ?1
  UNION ALL SELECT ${REQUESTS.columns} FROM ${TABLE} WHERE answer_id = ?1 LIMIT 1`;
const ERASE = `DELETE FROM ${TABLE} WHERE rowid IN
  (SELECT rowid FROM ${TABLE} WHERE organization_id = ? LIMIT ?)`;
const PRUNE = `DELETE FROM ${TABLE} WHERE rowid IN
  (SELECT rowid FROM ${TABLE} WHERE at_ms < ? ORDER BY at_ms LIMIT ?)`;
/** The row id counts what was written, so that nothing has to be counted. */
const SURPLUS = `DELETE FROM ${TABLE} WHERE rowid IN
  (SELECT rowid FROM ${TABLE} WHERE rowid <= (SELECT max(rowid) FROM ${TABLE}) - ? ORDER BY rowid LIMIT ?)`;

/** The log of calls in the ledger's database. */
export function sqliteRequests({ read, write }: Access): DurableLedgerEngine['requests'] {
  return {
    append: (rows) =>
      write(({ connection }) => {
        for (const row of rows) connection.statement(INSERT).run(...REQUESTS.valuesOf(row));
      }),
    find: (filter, page) => read((connection) => findPage(connection, filter, page)),
    get: (id) =>
      read((connection) => {
        const row = connection.tuples(GET).get(id);
        return row && REQUESTS.recordOf(row);
      }),
    prune: ({ beforeMs, maxRows }) =>
      write(({ connection }) => {
        const old = connection.statement(PRUNE).run(BigInt(Math.ceil(beforeMs)), MAX_REMOVED);
        return old > 0 ? old : connection.statement(SURPLUS).run(BigInt(maxRows), MAX_REMOVED);
      }),
    async erase(organizationId) {
      let erased = 0;
      for (let removed = -1; removed !== 0; erased += removed)
        removed = await write(({ connection }) => connection.statement(ERASE).run(organizationId, MAX_REMOVED));
      return erased;
    },
  };
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

function findPage(connection: Connection, filter: RequestFilter, { limit, cursor }: RequestPageQuery): RequestPage {
  const { sql, values } = conditionOf(filter, cursor);
  const rest = restOf(filter);
  const scanned = `SELECT * FROM ${TABLE} WHERE ${sql} ${NEWEST} LIMIT ${MAX_READ}`;
  // In the order of what is read.
  const page = `SELECT ${REQUESTS.columns} FROM (${scanned}) WHERE ${rest.sql} LIMIT ?`;
  const found = connection.tuples(page).all(...values, ...rest.values, BigInt(limit + 1));
  const rows = found.slice(0, limit).map((row) => REQUESTS.recordOf(row));
  const last = found.length > limit ? rows.at(-1) : lastRead(connection, { sql, values });
  return {
    rows: rows.map(({ attempts: _attempts, ...row }) => row),
    nextCursor: last === undefined ? null : cursorOf(last),
  };
}

/** The last row that was read, where others may follow. */
function lastRead(connection: Connection, { sql, values }: Condition) {
  const place = `SELECT at_ms, request_id FROM ${TABLE} WHERE ${sql} ${NEWEST} LIMIT 1 OFFSET ${MAX_READ - 1n}`;
  const row = connection.tuples<readonly [bigint, string]>(place).get(...values);
  return row && { atMs: Number(row[0]), requestId: row[1] };
}

/** The part of a filter that an index finds: the times, the place behind the cursor, and one field. */
function conditionOf(filter: RequestFilter, cursor: string | undefined): Condition {
  const { sinceMs, untilMs } = filter;
  const after = cursor === undefined ? undefined : placeOf(cursor);
  return all([
    ...(indexedOf(filter) ?? []),
    ...(sinceMs === undefined ? [] : [{ sql: 'at_ms >= ?', values: [BigInt(Math.ceil(sinceMs))] }]),
    ...(untilMs === undefined ? [] : [{ sql: 'at_ms < ?', values: [BigInt(Math.ceil(untilMs))] }]),
    ...(after === undefined
      ? []
      : [{ sql: '(at_ms, request_id) < (?, ?)', values: [BigInt(after.atMs), after.requestId] }]),
  ]);
}

/** The field with the fewest rows, as a rule. */
function indexedOf({ keyId, tag, model, organizations, status }: RequestFilter): Condition[] | undefined {
  if (keyId !== undefined) return [{ sql: 'key_id = ?', values: [keyId] }];
  if (tag !== undefined) return [{ sql: 'tag = ?', values: [tag] }];
  if (organizations?.length === 1) return [{ sql: 'organization_id = ?', values: organizations }];
  if (status !== undefined && statusRange(status).from >= 400) return [{ sql: 'status >= 400', values: [] }];
  return model === undefined ? undefined : [{ sql: 'model = ?', values: [model] }];
}

/** The whole filter without its times: what is already found is compared once more. */
function restOf({ organizations, keyId, model, provider, status, reason, tag }: RequestFilter): Condition {
  const equal = Object.entries({ key_id: keyId, model, provider, reason, tag });
  const range = status === undefined ? undefined : statusRange(status);
  return all([
    ...equal.flatMap(([column, value]) => (value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }])),
    ...(organizations === undefined
      ? []
      : [{ sql: `organization_id IN (${organizations.map(() => '?').join(', ')})`, values: organizations }]),
    ...(range === undefined ? [] : [{ sql: 'status BETWEEN ? AND ?', values: [BigInt(range.from), BigInt(range.to)] }]),
  ]);
}

function all(conditions: readonly Condition[]): Condition {
  return {
    sql: ['TRUE', ...conditions.map(({ sql }) => sql)].join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}
