import { addSums, type CheckedUsageQuery, dateOfDay } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { readSeries, SERIES_AT_ONCE } from './read-series.js';
import { difference, noSums, type StoredSums, SUM_COLUMNS, sumsOf } from './stored-sums.js';

/** The last day of the year 9999. */
const LAST_DAY = 2_932_896;
/** How many days of all organizations are added up at once, while the event loop waits. */
const DAYS_AT_ONCE = 50;

const COLUMNS = SUM_COLUMNS.join(', ');
const RANGE = 'day >= ? AND day < ?';
const DAYS_OF_ORGANIZATION = `SELECT day, ${COLUMNS} FROM searchgate_usage_by_day
  INDEXED BY searchgate_usage_days_of_organization WHERE organization_id = ? AND ${RANGE} ORDER BY day LIMIT ?`;
/** A sum of many organizations may pass 64 bits, one of its halves does not. */
const HALVES = SUM_COLUMNS.map((column) => `sum(${column} >> 32), sum(${column} & 4294967295)`).join(', ');
const DAYS_OF_ALL = `SELECT day, ${HALVES} FROM searchgate_usage_by_day
  WHERE ${RANGE} GROUP BY day ORDER BY day LIMIT ${DAYS_AT_ONCE}`;
const SUMS = SUM_COLUMNS.map((column) => `coalesce(next.${column}, usage.${column})`).join(', ');
const BEFORE = SUM_COLUMNS.map((column) => `opening.${column}`).join(', ');
const DAYS_OF_SERIES = `SELECT opening.day, ${SUMS}, ${BEFORE} FROM searchgate_usage AS usage
  JOIN searchgate_usage_openings AS opening ON opening.series = usage.series
  LEFT JOIN searchgate_usage_openings AS next ON next.series = usage.series AND next.day =
    (SELECT day FROM searchgate_usage_openings WHERE series = usage.series AND day > opening.day ORDER BY day LIMIT 1)
  WHERE usage.series = ? AND opening.day >= ? AND opening.day < ? ORDER BY opening.day LIMIT ?`;

type Groups = Map<string, StoredSums>;

/** The days of a page: a range, and how many at most. */
interface Days {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The first days of a query, as many as its page has, by their dates. */
export async function readDays(access: Access, query: CheckedUsageQuery): Promise<Groups> {
  const { organizationId, keyId, fromDay = 0, toDay = LAST_DAY + 1, after, limit } = query;
  const days = { from: Math.max(fromDay, after === undefined ? 0 : firstDayBehind(after)), to: toDay, limit };
  if (keyId !== undefined) return daysOfKey(access, query, days);
  if (organizationId === undefined) return daysOfAll(access, days);
  return access.read((connection) => daysOfOrganization(connection, organizationId, days));
}

/** The first day whose date is behind a text. */
function firstDayBehind(text: string): number {
  let [low, high] = [0, LAST_DAY + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dateOfDay(middle) > text) high = middle;
    else low = middle + 1;
  }
  return low;
}

function daysOfOrganization(connection: Connection, organizationId: string, { from, to, limit }: Days): Groups {
  const rows = connection
    .tuples<readonly bigint[]>(DAYS_OF_ORGANIZATION)
    .all(organizationId, BigInt(from), BigInt(to), BigInt(limit));
  return new Map(rows.map((row) => [dateOfDay(Number(row[0])), sumsOf(row, 1)]));
}

async function daysOfAll({ read }: Access, { from, to, limit }: Days): Promise<Groups> {
  const groups: Groups = new Map();
  let rows: (readonly bigint[])[];
  let next = BigInt(from);
  do {
    rows = await read((connection) => connection.tuples<readonly bigint[]>(DAYS_OF_ALL).all(next, BigInt(to)));
    for (const [day = 0n, ...halves] of rows) {
      groups.set(dateOfDay(Number(day)), sumsOf(wholesOf(halves)));
      next = day + 1n;
    }
    await nextTurn();
  } while (rows.length === DAYS_AT_ONCE && groups.size < limit);
  return groups;
}

function wholesOf(halves: readonly bigint[]): bigint[] {
  return SUM_COLUMNS.map((_, index) => ((halves[2 * index] ?? 0n) << 32n) + (halves[2 * index + 1] ?? 0n));
}

/** The first days of each series of a key: the first ones of the key are among them. */
async function daysOfKey({ read }: Access, query: CheckedUsageQuery, days: Days): Promise<Groups> {
  const { organizationId, keyId } = query;
  const groups: Groups = new Map();
  let after = 0n;
  for (;;) {
    const series = await read((connection) => readSeries(connection, { by: 'key', organizationId, keyId }, after));
    for (const { id } of series) {
      await read((connection) => addDaysOfSeries(connection, groups, { id, days }));
      await nextTurn();
    }
    const last = series.at(-1);
    if (last === undefined || series.length < SERIES_AT_ONCE) return groups;
    after = last.id;
  }
}

function addDaysOfSeries(
  connection: Connection,
  groups: Groups,
  { id, days: { from, to, limit } }: { readonly id: bigint; readonly days: Days },
): void {
  const statement = connection.tuples<readonly SqliteValue[]>(DAYS_OF_SERIES);
  for (const row of statement.all(id, BigInt(from), BigInt(to), BigInt(limit))) {
    const date = dateOfDay(Number(row[0]));
    const known = groups.get(date) ?? noSums();
    groups.set(date, known);
    addSums(known, difference(sumsOf(row, 1), sumsOf(row, 1 + SUM_COLUMNS.length)));
  }
}
