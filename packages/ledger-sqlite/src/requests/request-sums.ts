import {
  addTo,
  type LoggedRequest,
  largestOf,
  type PruneLimits,
  type StatisticsEntry,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type SumsByName,
  statisticsOf,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { plain, rowsOf, whole } from '../engine/rows.js';
import { all, type Condition, compared, ofOrganizations } from './conditions.js';

const TABLE = 'searchgate_request_sums';
/** How many sums are added up in one turn of the event loop: some milliseconds. */
const AT_ONCE = 2_000;
/** Most sums that are read for a query. */
const MAX_READ = 1_000 * AT_ONCE;
/** The largest amount that SQLite stores. */
const MAX_COST = 2n ** 63n - 1n;

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

const SUMS = rowsOf<StatisticsEntry>({
  of: plain('kind'),
  step: plain('step'),
  atMs: whole('at_ms'),
  organizationId: plain('organization_id'),
  endpoint: plain('endpoint'),
  model: plain('model'),
  provider: plain('provider'),
  outcome: plain('outcome'),
  count: whole('number'),
  rescued: whole('rescued'),
  durations: {
    columns: DURATIONS,
    store: (value) => value.map(BigInt),
    load: (row, at) => DURATIONS.map((_, place) => Number(row[at + place])),
  },
  cost: {
    columns: ['cost'],
    store: (value) => [value < MAX_COST ? value : MAX_COST],
    load: (row, at) => ((row[at] as bigint) << 32n) + (row[at + 1] as bigint),
  },
});

// An amount that is too large stays the largest: a failure would keep the calls out of the log.
const ADD = `INSERT INTO ${TABLE} (${SUMS.columns}) VALUES (${SUMS.marks}) ON CONFLICT (kind, step, ${PLACE}) DO UPDATE SET
  cost = cost + min(excluded.cost, ${MAX_COST} - cost), ${COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
const some = (condition: string) =>
  `DELETE FROM ${TABLE} WHERE rowid IN (SELECT rowid FROM ${TABLE} WHERE ${condition} LIMIT ?)`;
const REMOVE_OLD = some('kind = ? AND step = ? AND at_ms < ?');
const REMOVE = some('organization_id = ?');

/** Adds calls to the sums. In the transaction that keeps them. */
export function addSums(connection: Connection, rows: readonly LoggedRequest[]): void {
  for (const entry of statisticsOf(rows)) connection.statement(ADD).run(...SUMS.valuesOf(entry));
}

/** @param most of each kind and step. @returns how many were removed. */
export function removeOldSums(connection: Connection, before: PruneLimits['sumsBeforeMs'], most: bigint): number {
  let removed = 0;
  for (const kind of ['calls', 'attempts'])
    for (const step of ['hour', 'day'] as const)
      removed += connection.statement(REMOVE_OLD).run(kind, step, BigInt(Math.ceil(before[step])), most);
  return removed;
}

/** @returns how many were removed. */
export function removeSums(connection: Connection, organizationId: string, most: bigint): number {
  return connection.statement(REMOVE).run(organizationId, most);
}

/** Adds up slices, each in a turn of the event loop of its own. @throws RangeError for too many sums. */
export async function readSums({ read }: Access, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  const sums: SumsByName<StatisticsField> = new Map();
  let place: Place | undefined = [BigInt(Math.ceil(query.sinceMs)), '', '', '', '', ''];
  for (let count = 0; place !== undefined; count += AT_ONCE) {
    if (count === MAX_READ) throw new RangeError('too many sums: ask for a shorter time, or for days');
    const from: Place = place;
    const slice = await read((connection) => readSlice(connection, query, from));
    addTo(sums, slice.entries, query.by);
    place = slice.last;
    await nextTurn();
  }
  return largestOf(sums.values());
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
  const summed = `SELECT ${['kind', 'step', ...fields, ...counts].join(', ')}, ${COST} FROM (${scanned})
    WHERE ${rest.sql} GROUP BY ${['kind', ...by.map((field) => COLUMN_OF[field])].join(', ')}`;
  const last = `SELECT ${PLACE} FROM ${TABLE} WHERE ${sql} ORDER BY ${PLACE} LIMIT 1 OFFSET ${AT_ONCE - 1}`;
  return {
    entries: connection
      .tuples(summed)
      .all(...values, ...rest.values)
      .map((row) => SUMS.recordOf(row)),
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
