import {
  cursorOf,
  type DurableLedgerEngine,
  type PruneLimits,
  placeOf,
  type RequestFilter,
  type RequestLog,
  type RequestPage,
  type RequestPageQuery,
  statisticsOfMinutes,
  statusRange,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn, readSlices } from '../engine/next-turn.js';
import { all, type Condition, compared, ofOrganizations } from './conditions.js';
import { REQUESTS } from './request-rows.js';
import { addSums, mergeSums, readSums, removeOldSums, removeSums } from './request-sums.js';
import { sqliteTexts } from './request-texts.js';

const TABLE = 'searchgate_requests';
const NEWEST = 'ORDER BY at_ms DESC, request_id DESC';
/** Most rows that are read for a page: behind them the page ends, so that a rare filter holds up nobody. */
const MAX_READ = 10_000n;
/** Most rows that are removed in one transaction, in which the event loop waits. */
const MAX_REMOVED = 250n;

const INSERT = `INSERT INTO ${TABLE} (${REQUESTS.columns}) VALUES (${REQUESTS.marks}) ON CONFLICT (request_id) DO NOTHING`;
const GET = `SELECT ${REQUESTS.columns} FROM ${TABLE} WHERE request_id = ?
  UNION ALL SELECT ${REQUESTS.columns} FROM ${TABLE} WHERE answer_id = ? LIMIT 1`;
/** Some calls of an organization, the oldest first. */
const REMOVE = `DELETE FROM ${TABLE} WHERE rowid IN
  (SELECT rowid FROM ${TABLE} WHERE organization_id = ? ORDER BY at_ms, request_id LIMIT ?) RETURNING organization_id`;
const REMOVE_OLD = `DELETE FROM ${TABLE} WHERE rowid IN
  (SELECT rowid FROM ${TABLE} WHERE at_ms < ? ORDER BY at_ms LIMIT ?) RETURNING organization_id`;
/** How many calls are looked at for a budget, and changed, in one turn of the event loop. */
const LOOKED_AT = 500;
const names = (column: string) => `instr(' ' || ${column} || ' ', ?) > 0`;
/** The next calls of an organization, and the budgets of each. */
const NEXT_BUDGETS = `SELECT at_ms, request_id, budgets FROM ${TABLE}
  WHERE organization_id = ? AND (at_ms, request_id) > (?, ?) ORDER BY at_ms, request_id LIMIT ${LOOKED_AT}`;
const TAKE_OUT = `UPDATE ${TABLE} SET budgets = nullif(trim(replace(' ' || budgets || ' ', ?, ' ')), '')
  WHERE request_id = ? AND ${names('budgets')}`;
const COUNTS = 'searchgate_request_counts';
/** Stands for all organizations. */
const ALL = '';
const COUNT = `INSERT INTO ${COUNTS} (organization_id, calls) VALUES (?, ?)
  ON CONFLICT (organization_id) DO UPDATE SET calls = calls + excluded.calls`;
const FORGET_COUNT = `DELETE FROM ${COUNTS} WHERE organization_id = ? AND calls <= 0`;
const TOTAL = `SELECT calls FROM ${COUNTS} WHERE organization_id = '${ALL}'`;
const LARGEST = `SELECT organization_id, calls FROM ${COUNTS} WHERE organization_id > '${ALL}' ORDER BY calls DESC LIMIT ?`;

/** The log of calls in the ledger's database. */
export function sqliteRequests(access: Access): DurableLedgerEngine['requests'] {
  const { read, write } = access;
  const find: RequestLog['find'] = (filter, page) => read((connection) => findPage(connection, filter, page));
  /** Many pages are read for minutes. */
  const findInTurn: RequestLog['find'] = async (filter, page) => {
    await nextTurn();
    return find(filter, page);
  };
  return {
    texts: sqliteTexts(access),
    async append(rows) {
      const areMany = await write(({ connection }) => {
        const added = rows.filter((row) => connection.statement(INSERT).run(...REQUESTS.valuesOf(row)) > 0);
        const owners = added.map((row) => row.organizationId);
        count(connection, tally(owners, 1n));
        return addSums(connection, added);
      });
      // The calls are kept: a failure comes again with the next batch, and with prune, which tells it.
      if (areMany) await mergeSums(access).catch(() => undefined);
    },
    find,
    get: (id) =>
      read((connection) => {
        const row = connection.tuples(GET).get(id, id);
        return row && REQUESTS.recordOf(row);
      }),
    organizations: (most) =>
      read((connection) =>
        connection
          .tuples<readonly [string]>(LARGEST)
          .all(BigInt(most))
          .map(([id]) => id),
      ),
    statistics: async (query) =>
      query.step === 'minute' ? statisticsOfMinutes(findInTurn, query) : readSums(access, query),
    async prune(limits) {
      const removeSome = () => write(({ connection }) => prune(connection, limits));
      const removed = await removeSome();
      if (removed > 0) return removed;
      await mergeSums(access);
      return removeSome();
    },
    async erase(organizationId) {
      let erased = 0;
      for (let isDone = false; !isDone; ) {
        await mergeSums(access);
        const [calls, sums] = await write(({ connection }): [number, number] => [
          remove(connection, REMOVE, [organizationId, MAX_REMOVED]),
          removeSums(connection, organizationId, MAX_REMOVED),
        ]);
        erased += calls;
        isDone = calls + sums === 0;
      }
      return erased;
    },
    eraseBudget: (organizationId, budget) => eraseBudget(access, organizationId, ` ${budget} `),
  };
}

function prune(connection: Connection, { beforeMs, maxRows, sumsBeforeMs }: PruneLimits): number {
  const old = remove(connection, REMOVE_OLD, [BigInt(Math.ceil(beforeMs)), MAX_REMOVED]);
  return old + removeOldSums(connection, sumsBeforeMs, MAX_REMOVED) || removeSurplus(connection, BigInt(maxRows));
}

type BudgetsOfCall = readonly [atMs: bigint, requestId: string, budgets: string | null];

/** Takes a budget out of the calls of an organization, those of a slice in one transaction. @param named its id between spaces. */
async function eraseBudget({ read, write }: Access, organizationId: string, named: string): Promise<number> {
  let erased = 0;
  const slices = readSlices(LOOKED_AT, (last: BudgetsOfCall | undefined) =>
    read((connection) =>
      connection.tuples<BudgetsOfCall>(NEXT_BUDGETS).all(organizationId, last?.[0] ?? -1n, last?.[1] ?? ''),
    ),
  );
  for await (const rows of slices) {
    const ids = rows.flatMap(([, id, budgets]) => (` ${budgets ?? ''} `.includes(named) ? [id] : []));
    if (ids.length === 0) continue;
    erased += await write(({ connection }) =>
      ids.reduce((sum, id) => sum + connection.statement(TAKE_OUT).run(named, id, named), 0),
    );
  }
  return erased;
}

/** How many calls of each organization, and of all, came (1) or went (-1). */
function tally(organizations: readonly string[], by: bigint): Map<string, bigint> {
  const changes = new Map([[ALL, by * BigInt(organizations.length)]]);
  for (const id of organizations) changes.set(id, (changes.get(id) ?? 0n) + by);
  return changes;
}

function count(connection: Connection, changes: ReadonlyMap<string, bigint>): void {
  for (const [id, change] of changes) {
    connection.statement(COUNT).run(id, change);
    if (change < 0n) connection.statement(FORGET_COUNT).run(id);
  }
}

/** @returns how many calls were removed. */
function remove(connection: Connection, sql: string, values: readonly SqliteValue[]): number {
  const removed = connection.tuples<readonly [string]>(sql).all(...values);
  const owners = removed.map(([id]) => id);
  count(connection, tally(owners, -1n));
  return removed.length;
}

/** Cuts the largest organization down to the second, again and again. Equal ones lose a part of the rest in turn, so that there are few turns. */
function removeSurplus(connection: Connection, maxRows: bigint): number {
  let removed = 0;
  for (;;) {
    const [total = 0n] = connection.tuples<readonly [bigint]>(TOTAL).get() ?? [];
    const left = least(total - maxRows, MAX_REMOVED - BigInt(removed));
    const [first, second] = connection.tuples<readonly [string, bigint]>(LARGEST).all(2n);
    if (left <= 0n || first === undefined) return removed;
    const [id, calls] = first;
    const above = calls - (second?.[1] ?? 0n);
    const turn = least(left, calls) / 16n + 1n;
    const wanted = least(left, above > turn ? above : turn);
    const found = BigInt(remove(connection, REMOVE, [id, wanted]));
    // Somebody has removed calls by hand.
    if (found < wanted)
      count(
        connection,
        tally([], 0n)
          .set(id, found - calls)
          .set(ALL, found - calls),
      );
    removed += Number(found);
  }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function findPage(
  connection: Connection,
  filter: RequestFilter,
  { limit, cursor, attempts: withAttempts }: RequestPageQuery,
): RequestPage {
  const { sql, values } = conditionOf(filter, cursor);
  const rest = restOf(filter);
  const scanned = `SELECT * FROM ${TABLE} WHERE ${sql} ${NEWEST} LIMIT ${MAX_READ}`;
  // In the order of what is read.
  const page = `SELECT ${REQUESTS.columns} FROM (${scanned}) WHERE ${rest.sql} LIMIT ?`;
  const found = connection.tuples(page).all(...values, ...rest.values, BigInt(limit + 1));
  const rows = found.slice(0, limit).map((row) => REQUESTS.recordOf(row));
  const last = found.length > limit ? rows.at(-1) : lastRead(connection, { sql, values });
  return {
    rows: withAttempts === true ? rows : rows.map(({ attempts: _attempts, ...row }) => row),
    nextCursor: last === undefined ? null : cursorOf(last),
  };
}

/** The last row that was read, where others may follow. */
function lastRead(connection: Connection, { sql, values }: Condition) {
  const place = `SELECT at_ms, request_id FROM ${TABLE} WHERE ${sql} ${NEWEST} LIMIT 1 OFFSET ${MAX_READ - 1n}`;
  const row = connection.tuples<readonly [bigint, string]>(place).get(...values);
  return row && { atMs: Number(row[0]), requestId: row[1] };
}

/** The part of a filter that an index finds: the times, the place behind the cursor, and a single organization. */
function conditionOf({ organizations, sinceMs, untilMs }: RequestFilter, cursor: string | undefined): Condition {
  const after = cursor === undefined ? undefined : placeOf(cursor);
  return all([
    ...(organizations?.length === 1 ? ofOrganizations(organizations) : []),
    ...compared({ 'at_ms >=': rounded(sinceMs), 'at_ms <': rounded(untilMs) }),
    ...(after === undefined
      ? []
      : [{ sql: '(at_ms, request_id) < (?, ?)', values: [BigInt(after.atMs), after.requestId] }]),
  ]);
}

/** The whole filter without its times: what is already found is compared once more. */
function restOf(filter: RequestFilter): Condition {
  const { keyId, model, provider, reason, tag, rescued, organizations, budget, attempted } = filter;
  const range = filter.status === undefined ? undefined : statusRange(filter.status);
  return all([
    ...compared({ 'key_id =': keyId, 'model =': model, 'provider =': provider, 'reason =': reason, 'tag =': tag }),
    ...compared({ 'status >=': rounded(range?.from), 'status <=': rounded(range?.to), 'cost >=': filter.minCost }),
    ...compared({ 'duration_ms >=': filter.minDurationMs, 'attempt_count >=': rounded(filter.minAttempts) }),
    ...compared({ 'rescued =': rescued === undefined ? undefined : BigInt(rescued) }),
    ...ofOrganizations(organizations),
    ...naming('budgets', budget),
    ...naming('attempted', attempted),
  ]);
}

/** @param column of ids. */
function naming(column: string, id: string | undefined): readonly Condition[] {
  return id === undefined ? [] : [{ sql: names(column), values: [` ${id} `] }];
}

function rounded(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(Math.ceil(value));
}
