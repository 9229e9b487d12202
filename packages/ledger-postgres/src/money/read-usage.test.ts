import type { CheckedUsageQuery } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { readUsage } from './read-usage.js';

/** A database that gives these rows, and what it was asked. */
function databaseOf(rows?: object[]) {
  const asked: unknown[][] = [];
  const read = async (name: string, values: () => readonly unknown[]) => {
    asked.push([name, ...values()]);
    return rows;
  };
  return { database: { read } as unknown as Database, asked };
}

const queryOf = (query: Partial<CheckedUsageQuery>): CheckedUsageQuery => ({ by: 'key', limit: 100, ...query });

/** Spans as `level from to`, with a minus in front of what is taken away. */
async function spansOf(query: Partial<CheckedUsageQuery>): Promise<string[]> {
  const { database, asked } = databaseOf([]);
  await readUsage(database, queryOf(query));
  const spans = JSON.parse(String(asked[0]?.[4])) as { level: string; from: number; to: number; sign: number }[];
  return spans.map(({ level, from, to, sign }) => `${sign === 1 ? '' : '-'}${level} ${from} ${to}`);
}

// Days and months since 1970: January 2024 is month 648, with the days from 19,723 to 19,753.
it.each<[string, Partial<CheckedUsageQuery>, string[]]>([
  ['all months', {}, ['month 0 1000000']],
  ['days at the beginning', { fromDay: 19_740 }, ['month 649 1000000', 'day 19740 19754']],
  [
    'a month without the days in front, where these are fewer',
    { fromDay: 19_725 },
    ['month 649 1000000', 'month 648 649', '-day 19723 19725', '-day 19754 19754'],
  ],
  ['days at the end', { toDay: 19_725 }, ['month 0 648', 'day 19723 19725']],
  [
    'a month without the days behind, where these are fewer',
    { toDay: 19_753 },
    ['month 0 648', 'month 648 649', '-day 19723 19723', '-day 19753 19754'],
  ],
  ['days of one month', { fromDay: 19_724, toDay: 19_730 }, ['month 0 0', 'day 19724 19730']],
  ['half a month by its days', { fromDay: 19_724, toDay: 19_739 }, ['month 0 0', 'day 19724 19739']],
  [
    'more than half a month by the others',
    { fromDay: 19_724, toDay: 19_740 },
    ['month 0 0', 'month 648 649', '-day 19723 19724', '-day 19740 19754'],
  ],
  // April 2024 has 30 days.
  ['half of an even month by its days', { fromDay: 19_814, toDay: 19_829 }, ['month 651 651', 'day 19814 19829']],
  ['organizations by day', { by: 'day' }, ['organization 0 1000000000']],
  ['some days of organizations', { by: 'day', fromDay: 5, toDay: 9 }, ['organization 5 9']],
  ['days of a key', { by: 'day', keyId: 'key-1' }, ['day 0 1000000000']],
  [
    'organizations at the edges of a month',
    { by: 'organization', fromDay: 19_724, toDay: 19_730 },
    ['month 0 0', 'organization 19724 19730'],
  ],
  [
    'organizations of a budget',
    { by: 'organization', budget: 'team', fromDay: 19_724, toDay: 19_730 },
    ['month 0 0', 'day 19724 19730'],
  ],
  [
    'organizations of a key',
    { by: 'organization', keyId: 'key-1', fromDay: 19_724, toDay: 19_730 },
    ['month 0 0', 'day 19724 19730'],
  ],
])('reads %s', async (_what, query, expected) => {
  expect(await spansOf(query)).toEqual(expected);
});
