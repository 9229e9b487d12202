import {
  addTo,
  ENTRY_FIELDS,
  fitsStatistics,
  type LoggedRequest,
  largestOf,
  type PruneLimits,
  type StatisticsEntry,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type SumsByName,
  statisticsOf,
  summed,
  sumsOfText,
  textOfSums,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn, readSlices } from '../engine/next-turn.js';
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

const PENDING = 'searchgate_pending_request_sums';
/** How many batches are merged: each has at most 100 calls of a gateway. */
const MANY = 100;
/** How many batches are read in one turn of the event loop, and how many sums of hours are merged in one: some milliseconds. */
const BATCHES_AT_ONCE = 10;
const MERGED_AT_ONCE = 150;
const ADD_PENDING = `INSERT INTO ${PENDING} (sums) VALUES (?)`;
const NEXT_PENDING = `SELECT id, sums FROM ${PENDING} WHERE id > ? ORDER BY id LIMIT ${BATCHES_AT_ONCE}`;
const ARE_MANY = `SELECT id FROM ${PENDING} WHERE id > 0 ORDER BY id LIMIT 1 OFFSET ${MANY - 1}`;
const COUNT_PENDING = `SELECT count(*) FROM ${PENDING} WHERE id BETWEEN ? AND ?`;
const REPLACE_PENDING = `DELETE FROM ${PENDING} WHERE id BETWEEN ? AND ?`;
const TAKE_PENDING = `DELETE FROM ${PENDING} WHERE id = ? RETURNING sums`;
/** How often sums are read again because some were merged meanwhile. */
const MAX_TRIES = 5;

/** Keeps the sums of calls until they are merged. In the transaction that keeps the calls. @returns whether many are kept. */
export function addSums(connection: Connection, rows: readonly LoggedRequest[]): boolean {
  if (rows.length > 0) connection.statement(ADD_PENDING).run(textOfSums(statisticsOf(rows, ['hour'])));
  return connection.statement(ARE_MANY).get() !== undefined;
}

/** Merges the sums that are kept for it. */
export async function mergeSums(access: Access): Promise<void> {
  const { write } = access;
  for (let parts: readonly bigint[] | undefined; parts === undefined; ) {
    const hours: SumsByName<(typeof ENTRY_FIELDS)[number]> = new Map();
    const ids = await addPending(access, hours, { step: 'hour', by: ENTRY_FIELDS, fits: () => true });
    parts = await write(({ connection }) => keepMerged(connection, ids, [...hours.values()]));
    for (const id of parts ?? []) await write(({ connection }) => mergePart(connection, id));
  }
}

/** Keeps merged sums in place of those that were read, in parts. @returns their ids; `undefined` where another process has merged some. */
function keepMerged(connection: Connection, ids: readonly bigint[], hours: readonly StatisticsEntry[]) {
  if (!areThere(connection, ids)) return undefined;
  connection.statement(REPLACE_PENDING).run(...endsOf(ids));
  return Array.from({ length: Math.ceil(hours.length / MERGED_AT_ONCE) }, (_, part) => {
    const text = textOfSums(hours.slice(part * MERGED_AT_ONCE, (part + 1) * MERGED_AT_ONCE));
    const [id = 0n] = connection.tuples<readonly [bigint]>(`${ADD_PENDING} RETURNING id`).get(text) ?? [];
    return id;
  });
}

function mergePart(connection: Connection, id: bigint): void {
  const [text = '[]'] = connection.tuples<readonly [string]>(TAKE_PENDING).get(id) ?? [];
  for (const entry of [...sumsOfText(text, 'hour'), ...summed(sumsOfText(text, 'day'), ENTRY_FIELDS)])
    connection.statement(ADD).run(...SUMS.valuesOf(entry));
}

/** Ids are only ever taken from within, so as many are the same ones. */
function areThere(connection: Connection, ids: readonly bigint[]): boolean {
  const [count = 0n] = connection.tuples<readonly [bigint]>(COUNT_PENDING).get(...endsOf(ids)) ?? [];
  return count === BigInt(ids.length);
}

const endsOf = (ids: readonly bigint[]) => [ids[0] ?? 0n, ids.at(-1) ?? 0n];

interface PendingQuery<Field> extends Pick<StatisticsQuery, 'step'> {
  readonly by: readonly Field[];
  fits(entry: StatisticsEntry): boolean;
}

/** Adds what waits to be merged. @returns the ids of what was read. */
async function addPending<Field extends (typeof ENTRY_FIELDS)[number]>(
  { read }: Access,
  sums: SumsByName<Field>,
  { step, by, fits }: PendingQuery<Field>,
): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  type Batch = readonly [id: bigint, sums: string];
  const slices = readSlices(BATCHES_AT_ONCE, (last: Batch | undefined) =>
    read((connection) => connection.tuples<Batch>(NEXT_PENDING).all(last?.[0] ?? 0n)),
  );
  for await (const batches of slices)
    for (const [id, text] of batches) {
      ids.push(id);
      addTo(sums, sumsOfText(text, step).filter(fits), by);
    }
  return ids;
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
export async function readSums(access: Access, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  for (let tries = 1; ; tries += 1) {
    const sums: SumsByName<StatisticsField> = new Map();
    const ids = await addPending(access, sums, { ...query, fits: (entry) => fitsStatistics(entry, query) });
    await addMerged(access, sums, query);
    const isWhole = await access.read((connection) => areThere(connection, ids));
    if (isWhole || tries === MAX_TRIES) return largestOf(sums.values());
  }
}

async function addMerged({ read }: Access, sums: SumsByName<StatisticsField>, query: StatisticsQuery): Promise<void> {
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
