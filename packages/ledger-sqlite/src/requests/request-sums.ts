import {
  addPacked,
  addText,
  collectStatistics,
  LedgerError,
  type LoggedRequest,
  type PackedSums,
  type PruneLimits,
  packedOf,
  STEPS_MS,
  type StatisticsQuery,
  type StatisticsRow,
  slicesOf,
  textOfSums,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { readSlices } from '../engine/next-turn.js';
import { all, compared, ofOrganizations } from './conditions.js';

const PENDING = 'searchgate_pending_request_sums';
const MERGED = 'searchgate_merged_request_sums';
/** How many batches are merged: each has at most 100 calls of a gateway. */
const MANY = 100;
/** How much is read, and how many sums of hours are merged, in one turn of the event loop: some milliseconds. */
const AT_ONCE = 10;
const MERGED_AT_ONCE = 200;
/** Most texts that are read for a query. */
const MAX_READ = 50_000;
/** How often sums are read again because some were merged meanwhile. */
const MAX_TRIES = 5;

const ADD_PENDING = `INSERT INTO ${PENDING} (sums) VALUES (?)`;
const NEXT_PENDING = `SELECT id, sums FROM ${PENDING} WHERE id > ? ORDER BY id LIMIT ${AT_ONCE}`;
const ARE_MANY = `SELECT id FROM ${PENDING} WHERE id > 0 ORDER BY id LIMIT 1 OFFSET ${MANY - 1}`;
const COUNT_PENDING = `SELECT count(*) FROM ${PENDING} WHERE id BETWEEN ? AND ?`;
const REMOVE_PENDING = `DELETE FROM ${PENDING} WHERE id BETWEEN ? AND ?`;
const TAKE_PENDING = `DELETE FROM ${PENDING} WHERE id = ? RETURNING sums`;
const GET = `SELECT sums FROM ${MERGED} INDEXED BY ${MERGED}_by_organization
  WHERE kind = ? AND step = ? AND at_ms = ? AND organization_id = ?`;
const SET = `INSERT INTO ${MERGED} (kind, step, at_ms, organization_id, sums) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (kind, step, at_ms, organization_id) DO UPDATE SET sums = excluded.sums`;
const some = (condition: string) =>
  `DELETE FROM ${MERGED} WHERE rowid IN (SELECT rowid FROM ${MERGED} WHERE ${condition} LIMIT ?)`;
const REMOVE_OLD = some('kind = ? AND step = ? AND at_ms < ?');
const REMOVE = some('organization_id = ?');

/** Keeps the sums of calls until they are merged. In the transaction that keeps the calls. @returns whether many are kept. */
export function addSums(connection: Connection, rows: readonly LoggedRequest[]): boolean {
  if (rows.length > 0) connection.statement(ADD_PENDING).run(textOfSums(packedOf(rows, 'hour')));
  return connection.statement(ARE_MANY).get() !== undefined;
}

/** Merges all sums that are kept for it. What a process that ends leaves, the next one merges. */
export async function mergeSums(access: Access): Promise<void> {
  for (let parts: readonly bigint[] | undefined; parts === undefined; ) {
    const hours: PackedSums = new Map();
    const ids = await readPending(access, hours);
    parts = await access.write(({ connection }) => keepInParts(connection, ids, hours));
    for (const id of parts ?? []) await access.write(({ connection }) => mergePart(connection, id));
  }
}

/** Keeps sums in place of the batches that they are of. @returns the ids of their parts; `undefined` where another process has merged some. */
function keepInParts(connection: Connection, ids: readonly bigint[], hours: PackedSums) {
  if (!areThere(connection, ids)) return undefined;
  // Sorted, so that the sums of an organization are mostly in one part.
  const sums = [...hours].sort(([a], [b]) => (a < b ? -1 : 1));
  connection.statement(REMOVE_PENDING).run(...endsOf(ids));
  return slicesOf(sums, MERGED_AT_ONCE).map((part) => {
    const added = connection.tuples<readonly [bigint]>(`${ADD_PENDING} RETURNING id`).get(textOfSums(part));
    return added?.[0] ?? 0n;
  });
}

function mergePart(connection: Connection, id: bigint): void {
  const [part = '[]'] = connection.tuples<readonly [string]>(TAKE_PENDING).get(id) ?? [];
  const hours: PackedSums = new Map();
  addText(hours, part);
  for (const step of ['hour', 'day'] as const) {
    const groups = new Map<string, PackedSums>();
    for (const [name, { cost, counts }] of hours) {
      const [of = '', span = '', organizationId = '', ...group] = name.split('\n');
      const atMs = `${Math.floor(Number(span) / STEPS_MS[step]) * STEPS_MS[step]}`;
      const place = [of, step, atMs, organizationId].join('\n');
      const sums = groups.get(place) ?? sumsAt(connection, place);
      groups.set(place, sums);
      addPacked(sums, [of, atMs, organizationId, ...group].join('\n'), { cost, counts: [...counts] });
    }
    for (const [place, sums] of groups) connection.statement(SET).run(...place.split('\n'), textOfSums(sums));
  }
}

function sumsAt(connection: Connection, place: string): PackedSums {
  const sums: PackedSums = new Map();
  const [text = '[]'] = connection.tuples<readonly [string]>(GET).get(...place.split('\n')) ?? [];
  addText(sums, text);
  return sums;
}

/** Later ids are larger, so as many between the same ends are the same. */
function areThere(connection: Connection, ids: readonly bigint[]): boolean {
  const [count = 0n] = connection.tuples<readonly [bigint]>(COUNT_PENDING).get(...endsOf(ids)) ?? [];
  return count === BigInt(ids.length);
}

const endsOf = (ids: readonly bigint[]) => [ids[0] ?? 0n, ids.at(-1) ?? 0n];

/** @returns the ids of what was read. */
async function readPending({ read }: Access, sums: PackedSums): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  type Batch = readonly [id: bigint, sums: string];
  const slices = readSlices(AT_ONCE, (last: Batch | undefined) =>
    read((connection) => connection.tuples<Batch>(NEXT_PENDING).all(last?.[0] ?? 0n)),
  );
  for await (const batches of slices)
    for (const [id, text] of batches) {
      ids.push(id);
      addText(sums, text);
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

/** @throws RangeError for too many sums. @throws LedgerError `ledger_timeout` where other processes merged them during every try: some calls would count twice. */
export async function readSums(access: Access, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const statistics = collectStatistics(query);
    const pending: PackedSums = new Map();
    const ids = await readPending(access, pending);
    statistics.add(pending);
    await readMerged(access, query, statistics.add);
    if (await access.read((connection) => areThere(connection, ids))) return statistics.rows();
  }
  throw new LedgerError('ledger_timeout', 'sums of calls were merged whenever they were read: ask again');
}

/** Reads slices, each in a turn of the event loop of its own. */
async function readMerged({ read }: Access, query: StatisticsQuery, add: (sums: PackedSums) => void): Promise<void> {
  type Row = readonly [atMs: bigint, organizationId: string, sums: string];
  const where = all([
    ...compared({ 'kind =': query.of, 'step =': query.step, 'at_ms <': BigInt(Math.ceil(query.untilMs)) }),
    ...ofOrganizations(query.organizations),
  ]);
  const next = `SELECT at_ms, organization_id, sums FROM ${MERGED} WHERE ${where.sql} AND (at_ms, organization_id) > (?, ?)
    ORDER BY at_ms, organization_id LIMIT ${AT_ONCE}`;
  const slices = readSlices(AT_ONCE, ([atMs, organizationId]: Row = [BigInt(Math.ceil(query.sinceMs)), '', '']) =>
    read((connection) => connection.tuples<Row>(next).all(...where.values, atMs, organizationId)),
  );
  let count = 0;
  for await (const rows of slices) {
    count += rows.length;
    if (count > MAX_READ) throw new RangeError('too many sums: ask for a shorter time, or for days');
    const packed: PackedSums = new Map();
    for (const [, , text] of rows) addText(packed, text);
    add(packed);
  }
}
