import {
  addToGroup,
  type CheckedUsageQuery,
  dateOfDay,
  LAST_DAY,
  type MutableSums,
  type UsageRow,
  usagePage,
  usageSumsOf,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn, readSlices } from '../engine/next-turn.js';
import { SUM_COLUMNS } from './stored-sums.js';

/** How many series are read at once, while the event loop waits. */
export const SERIES_AT_ONCE = 250;
/** How many days of all organizations are added up at once. */
const DAYS_AT_ONCE = 50;

const GROUPS = {
  organization: 'organization_id',
  key: 'key_id',
  model: 'model',
  tag: 'tag',
  budget: 'budgets',
  day: 'key_id',
} as const;

const COLUMNS = SUM_COLUMNS.join(', ');
const RANGE = 'day >= ? AND day < ?';
const DAYS_OF_ORGANIZATION = `SELECT day, ${COLUMNS} FROM searchgate_usage_by_day
  INDEXED BY searchgate_usage_days_of_organization WHERE organization_id = ? AND ${RANGE} ORDER BY day LIMIT ?`;
/** A sum of many organizations may pass 64 bits, one of its halves does not. */
const HALVES = SUM_COLUMNS.map((column) => `sum(${column} >> 32), sum(${column} & 4294967295)`).join(', ');
const DAYS_OF_ALL = `SELECT day, ${HALVES} FROM searchgate_usage_by_day
  WHERE ${RANGE} GROUP BY day ORDER BY day LIMIT ${DAYS_AT_ONCE}`;
const DAYS_OF_SERIES = `SELECT opening.day, ${sumsAt('next')}, ${columnsOf('opening')} FROM searchgate_usage AS usage
  JOIN searchgate_usage_openings AS opening ON opening.series = usage.series
  ${openingNamed('next', '> opening.day')}
  WHERE usage.series = ? AND opening.day >= ? AND opening.day < ? ORDER BY opening.day LIMIT ?`;

type Groups = Map<string, MutableSums>;
type Row = readonly SqliteValue[];

/**
 * A page of usage. Series are read some at a time, each slice of one moment and in a turn of its own: so a reader of many series does not hold up others, and
 * what is charged between two slices may be in one of them.
 */
export async function readUsage(access: Access, query: CheckedUsageQuery): Promise<readonly UsageRow[]> {
  const groups = query.by === 'day' ? await readDays(access, query) : await readGroups(access, query);
  return usagePage(groups, query, (sums) => sums);
}

async function readGroups(access: Access, query: CheckedUsageQuery): Promise<Groups> {
  const groups: Groups = new Map();
  const sumsIn = query.fromDay === undefined ? totalIn : increaseIn;
  for await (const rows of seriesOf(access, query)) {
    for (const row of rows) {
      const sums = sumsIn(row, 2);
      if (sums !== undefined) for (const group of groupsIn(row, query)) addToGroup(groups, group, sums);
    }
  }
  return groups;
}

/** The groups that a row counts in; none where it is not of the query's budget. */
function groupsIn([, group]: Row, { by }: CheckedUsageQuery): readonly string[] {
  if (group === null) return [];
  return by === 'budget' ? String(group).split(' ') : [String(group)];
}

/** The sums that a row has from an index on; `undefined` without an entry. */
function totalIn(row: Row, first: number): MutableSums | undefined {
  return row[first] === 0n ? undefined : usageSumsOf(row, first + 1);
}

/** The difference of two sums that a row has from an index on, the later sums first; `undefined` without an entry in between. */
function increaseIn(row: Row, first: number): MutableSums | undefined {
  const [entries = 0n, ...sums] = SUM_COLUMNS.map((_, index) => {
    return (row[first + index] as bigint) - (row[first + SUM_COLUMNS.length + index] as bigint);
  });
  return entries > 0n ? usageSumsOf(sums) : undefined;
}

/**
 * The series of a query in slices: those with a group behind the page before and those without a group. Rows have the id, the group (an empty text for none;
 * NULL where a series is not of the query's budget), the sums at the end of the days and, unless these begin with the log, the sums before them.
 * Budgets are looked for in what a slice has read, so that a rare one does not hold up others.
 */
function seriesOf({ read }: Access, query: CheckedUsageQuery): AsyncGenerator<readonly Row[]> {
  const { by, organizationId, keyId, budget } = query;
  const [fromDay, toDay, after] = by === 'day' ? [] : [query.fromDay, query.toDay, query.after];
  const group = GROUPS[by];
  const [beginning, ending] = [fromDay !== undefined, toDay !== undefined];
  const owners = [
    ...(keyId === undefined ? [] : [['key_id = ?', keyId]]),
    ...(organizationId === undefined ? [] : [['organization_id = ?', organizationId]]),
  ];
  const conditions = [...owners.map(([condition]) => condition), 'usage.series > ?'];
  if (by !== 'budget') conditions.push(`(${group} > ? OR ${group} = '')`);
  const named = budget === undefined ? group : `iif(instr(' ' || budgets || ' ', ?) > 0, ${group}, NULL)`;
  const sql = `SELECT usage.series, ${named}, ${ending ? sumsAt('ending') : columnsOf('usage')}
    ${beginning ? `, ${sumsAt('beginning')}` : ''} FROM searchgate_usage AS usage ${indexFor(organizationId, keyId)}
    ${beginning ? openingNamed('beginning', '>= ?') : ''} ${ending ? openingNamed('ending', '>= ?') : ''}
    WHERE ${conditions.join(' AND ')} ORDER BY usage.series LIMIT ${SERIES_AT_ONCE}`;
  const days = [fromDay, toDay].filter((day) => day !== undefined).map(BigInt);
  const owner = owners.map(([, id]) => id as string);
  const sought = budget === undefined ? [] : [` ${budget} `];
  const behind = by === 'budget' ? [] : [after ?? ''];
  return readSlices(SERIES_AT_ONCE, (last: Row | undefined) =>
    read((connection) => connection.tuples(sql).all(...sought, ...days, ...owner, last?.[0] ?? 0n, ...behind)),
  );
}

function columnsOf(table: string): string {
  return SUM_COLUMNS.map((column) => `${table}.${column}`).join(', ');
}

/** What the sums were at an opening, and are where there is none. */
function sumsAt(opening: string): string {
  return SUM_COLUMNS.map((column) => `coalesce(${opening}.${column}, usage.${column})`).join(', ');
}

/** The first opening of a series on such a day: what its sums were when that day began. None where nothing was added since. */
function openingNamed(name: string, condition: string): string {
  return `LEFT JOIN searchgate_usage_openings AS ${name} ON ${name}.series = usage.series AND ${name}.day =
    (SELECT day FROM searchgate_usage_openings WHERE series = usage.series AND day ${condition} ORDER BY day LIMIT 1)`;
}

/** A key is rarely used by more than one organization. */
function indexFor(organizationId: string | undefined, keyId: string | undefined): string {
  if (keyId !== undefined) return 'INDEXED BY searchgate_usage_of_key';
  return organizationId === undefined ? 'NOT INDEXED' : 'INDEXED BY searchgate_usage_of_organization';
}

/** The days of a page: a range, and how many at most. */
type Days = readonly [from: bigint, to: bigint, limit: bigint];

/** The first days of a query, as many as its page has, by their dates. */
async function readDays(access: Access, query: CheckedUsageQuery): Promise<Groups> {
  const { organizationId, keyId, budget, fromDay = 0, toDay = LAST_DAY + 1, after, limit } = query;
  const from = Math.max(fromDay, after === undefined ? 0 : firstDayBehind(after));
  const days = [BigInt(from), BigInt(toDay), BigInt(limit)] as const;
  if (keyId !== undefined || budget !== undefined) return daysOfSeries(access, query, days);
  if (organizationId === undefined) return daysOfAll(access, days);
  const rows = await access.read((connection) => connection.tuples(DAYS_OF_ORGANIZATION).all(organizationId, ...days));
  return new Map(rows.map((row) => [dateOf(row), usageSumsOf(row, 2)]));
}

function dateOf(row: Row): string {
  return dateOfDay(Number(row[0]));
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

async function daysOfAll({ read }: Access, [from, to, limit]: Days): Promise<Groups> {
  const groups: Groups = new Map();
  const slices = readSlices(DAYS_AT_ONCE, (last: readonly bigint[] | undefined) =>
    read((connection) => {
      const next = last === undefined ? from : (last[0] as bigint) + 1n;
      return connection.tuples<readonly bigint[]>(DAYS_OF_ALL).all(next, to);
    }),
  );
  for await (const rows of slices) {
    for (const row of rows) groups.set(dateOf(row), wholeSums(row));
    if (groups.size >= limit) break;
  }
  return groups;
}

/** @param row the day, then two halves of each sum. */
function wholeSums(row: readonly bigint[]): MutableSums {
  const wholes = SUM_COLUMNS.map((_, index) => ((row[2 * index + 1] ?? 0n) << 32n) + (row[2 * index + 2] ?? 0n));
  return usageSumsOf(wholes, 1);
}

/** The first days of each series of a key or a budget: the first ones of it are among them. */
async function daysOfSeries(access: Access, query: CheckedUsageQuery, days: Days): Promise<Groups> {
  const groups: Groups = new Map();
  for await (const rows of seriesOf(access, query)) {
    for (const [series = 0n, group] of rows) {
      if (group === null) continue;
      await access.read((connection) => addDaysOfSeries(connection, groups, [series, ...days]));
      await nextTurn();
    }
  }
  return groups;
}

function addDaysOfSeries(connection: Connection, groups: Groups, values: Row): void {
  for (const row of connection.tuples(DAYS_OF_SERIES).all(...values)) {
    const sums = increaseIn(row, 1);
    if (sums !== undefined) addToGroup(groups, dateOf(row), sums);
  }
}
