import {
  addTo,
  largestOf,
  type PruneLimits,
  type StatisticsEntry,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type SumsByName,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { all, type Condition, compared, ofOrganizations } from './conditions.js';
import { addMerged, MERGED } from './merged-sums.js';

const TABLE = 'searchgate_request_sums';
/** How many sums are added up in one turn of the event loop: some milliseconds. */
const AT_ONCE = 2_000;
/** Most sums that are read for a query. */
const MAX_READ = 1_000 * AT_ONCE;
/** How often sums are read again because some were merged meanwhile. */
const MAX_TRIES = 5;

const COLUMN_OF = {
  atMs: 'at_ms',
  organizationId: 'organization_id',
  endpoint: 'endpoint',
  model: 'model',
  provider: 'provider',
  outcome: 'outcome',
} as const satisfies Record<StatisticsField, string>;
const FIELDS = Object.keys(COLUMN_OF) as StatisticsField[];
/** Behind `kind` and `step`, in the order of the index. */
const PLACE = Object.values(COLUMN_OF).join(', ');
const DURATIONS = Array.from({ length: 17 }, (_, place) => `took_${place}`);
const COUNTS = ['number', 'rescued', ...DURATIONS];
/** Of many rows, in halves: a whole one could be too large for SQLite. */
const COST = 'sum(cost >> 32), sum(cost & 4294967295)';

type Sum = readonly [
  ...place: [bigint, string, string, string, string, string],
  ...counts: [high: bigint, low: bigint, count: bigint, rescued: bigint, ...bigint[]],
];

function entryOf({ of, step }: StatisticsQuery, row: Sum): StatisticsEntry {
  const [atMs, organizationId, endpoint, model, provider, outcome, high, low, count, rescued, ...durations] = row;
  const group = { of, step, atMs: Number(atMs), organizationId, endpoint, model, provider, outcome };
  const counts = { cost: (high << 32n) + low, count: Number(count), rescued: Number(rescued) };
  return { ...group, ...counts, durations: durations.slice(0, DURATIONS.length).map(Number) };
}

const some = (table: string, condition: string) =>
  `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${condition} LIMIT ?)`;
const TABLES = [TABLE, MERGED];
const REMOVE_OLD = TABLES.map((table) => some(table, 'kind = ? AND step = ? AND at_ms < ?'));
const REMOVE = TABLES.map((table) => some(table, 'organization_id = ?'));

/** @param most of each kind and step. @returns how many were removed. */
export function removeOldSums(connection: Connection, before: PruneLimits['sumsBeforeMs'], most: bigint): number {
  let removed = 0;
  for (const kind of ['calls', 'attempts'])
    for (const step of ['hour', 'day'] as const)
      for (const sql of REMOVE_OLD)
        removed += connection.statement(sql).run(kind, step, BigInt(Math.ceil(before[step])), most);
  return removed;
}

/** @returns how many were removed. */
export function removeSums(connection: Connection, organizationId: string, most: bigint): number {
  return REMOVE.reduce((removed, sql) => removed + connection.statement(sql).run(organizationId, most), 0);
}

/** Adds up slices, each in a turn of the event loop of its own. @throws RangeError for too many sums. */
export async function readSums(access: Access, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  for (let tries = 1; ; tries += 1) {
    const sums: SumsByName<StatisticsField> = new Map();
    await addStored(access, sums, query);
    const isWhole = await addMerged(access, sums, query);
    if (isWhole || tries === MAX_TRIES) return largestOf(sums.values());
  }
}

/** Sums of packages of version 6, each in a row. */
async function addStored({ read }: Access, sums: SumsByName<StatisticsField>, query: StatisticsQuery): Promise<void> {
  let place: Place | undefined = [BigInt(Math.ceil(query.sinceMs)), '', '', '', '', ''];
  for (let count = 0; place !== undefined; count += AT_ONCE) {
    if (count === MAX_READ) throw new RangeError('too many sums: ask for a shorter time, or for days');
    const from: Place = place;
    const slice = await read((connection) => readSlice(connection, query, from));
    addTo(sums, slice.entries, query.by);
    place = slice.last;
    await nextTurn();
  }
}

/** The columns of {@link PLACE}. */
type Place = readonly SqliteValue[];

function readSlice(connection: Connection, query: StatisticsQuery, from: Place) {
  const { by, organizations } = query;
  const { sql, values } = all([
    ...compared({ 'kind =': query.of, 'step =': query.step, 'at_ms <': BigInt(Math.ceil(query.untilMs)) }),
    { sql: `(${PLACE}) > (?, ?, ?, ?, ?, ?)`, values: from },
    // That few an index finds.
    ...(organizations !== undefined && organizations.length < 2 ? ofOrganizations(organizations) : []),
  ]);
  const rest = restOf(query);
  // Some drivers tell columns apart by their names.
  const fields = FIELDS.map((field) => `${by.includes(field) ? '' : "'' AS "}${COLUMN_OF[field]}`);
  const counts = COUNTS.map((name) => `sum(${name})`);
  const scanned = `SELECT * FROM ${TABLE} WHERE ${sql} ORDER BY ${PLACE} LIMIT ${AT_ONCE}`;
  const summed = `SELECT ${[...fields, COST, ...counts].join(', ')} FROM (${scanned})
    WHERE ${rest.sql} GROUP BY ${['kind', ...by.map((field) => COLUMN_OF[field])].join(', ')}`;
  const last = `SELECT ${PLACE} FROM ${TABLE} WHERE ${sql} ORDER BY ${PLACE} LIMIT 1 OFFSET ${AT_ONCE - 1}`;
  return {
    entries: connection
      .tuples<Sum>(summed)
      .all(...values, ...rest.values)
      .map((row) => entryOf(query, row)),
    last: connection
      .tuples(last)
      .get(...values)
      ?.slice(0, FIELDS.length),
  };
}

function restOf({ organizationId, organizations, endpoint, model, provider, outcome }: StatisticsQuery): Condition {
  const equal = { 'organization_id =': organizationId, 'endpoint =': endpoint, 'model =': model };
  return all([
    ...compared({ ...equal, 'provider =': provider, 'outcome =': outcome }),
    ...ofOrganizations(organizations),
  ]);
}
