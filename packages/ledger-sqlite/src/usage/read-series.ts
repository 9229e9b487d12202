import type { CheckedUsageQuery } from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { type StoredSums, SUM_COLUMNS, sumsOf } from './stored-sums.js';

/** How many series are read at once, while the event loop waits. */
export const SERIES_AT_ONCE = 250;

/** A series as far as a query asks for it. */
export interface SeriesRow {
  readonly id: bigint;
  /** What the query groups it under; an empty text where it has none. */
  readonly group: string;
  /** Up to the end of the days asked about. */
  readonly sums: StoredSums;
  /** Up to their beginning; `undefined` where that is the beginning of the log. */
  readonly before: StoredSums | undefined;
}

type GroupedQuery = Pick<CheckedUsageQuery, 'by' | 'organizationId' | 'keyId' | 'fromDay' | 'toDay' | 'after'>;

const GROUPS = { organization: 'organization_id', key: 'key_id', model: 'model', tag: 'tag' } as const;

/** The first opening of a series that is on a day or behind it: what its sums were when that day began. None where nothing was added since. */
const OPENING_SINCE = `(SELECT day FROM searchgate_usage_openings
  WHERE series = usage.series AND day >= ? ORDER BY day LIMIT 1)`;

/** The next series of a query behind one, those with a group behind the page before and those without a group. */
export function readSeries(connection: Connection, query: GroupedQuery, after: bigint): SeriesRow[] {
  const { organizationId, keyId, fromDay, toDay } = query;
  const days = [fromDay, toDay].filter((day) => day !== undefined).map(BigInt);
  const owner = [keyId, organizationId].filter((id) => id !== undefined);
  const values = [...days, ...owner, after, query.after ?? ''];
  const rows = connection.tuples<readonly SqliteValue[]>(statementOf(query)).all(...values);
  return rows.map((row) => ({
    id: row[0] as bigint,
    group: row[1] as string,
    sums: sumsOf(row, 2),
    before: fromDay === undefined ? undefined : sumsOf(row, 2 + SUM_COLUMNS.length),
  }));
}

function statementOf({ by, organizationId, keyId, fromDay, toDay }: GroupedQuery): string {
  const group = by === 'day' ? GROUPS.key : GROUPS[by];
  const sums = sumsAt(toDay === undefined ? undefined : 'ending');
  const before = fromDay === undefined ? [] : sumsAt('beginning');
  const joins = [
    ...(fromDay === undefined ? [] : [openingNamed('beginning')]),
    ...(toDay === undefined ? [] : [openingNamed('ending')]),
  ];
  const conditions = [
    ...(keyId === undefined ? [] : ['key_id = ?']),
    ...(organizationId === undefined ? [] : ['organization_id = ?']),
    'usage.series > ?',
    `(${group} > ? OR ${group} = '')`,
  ];
  return `SELECT usage.series, ${[group, ...sums, ...before].join(', ')}
    FROM searchgate_usage AS usage ${indexFor(organizationId, keyId)} ${joins.join(' ')}
    WHERE ${conditions.join(' AND ')} ORDER BY usage.series LIMIT ${SERIES_AT_ONCE}`;
}

/** What the sums were at an opening, and are where there is none. */
function sumsAt(opening: string | undefined): string[] {
  return SUM_COLUMNS.map((column) =>
    opening === undefined ? `usage.${column}` : `coalesce(${opening}.${column}, usage.${column})`,
  );
}

function openingNamed(name: string): string {
  return `LEFT JOIN searchgate_usage_openings AS ${name} ON ${name}.series = usage.series AND ${name}.day = ${OPENING_SINCE}`;
}

/** A key is rarely used by more than one organization. */
function indexFor(organizationId: string | undefined, keyId: string | undefined): string {
  if (keyId !== undefined) return 'INDEXED BY searchgate_usage_of_key';
  return organizationId === undefined ? 'NOT INDEXED' : 'INDEXED BY searchgate_usage_of_organization';
}
