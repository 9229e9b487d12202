import { addSums, type CheckedUsageQuery, type UsageRow, usagePage } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import { nextTurn } from '../engine/next-turn.js';
import { readDays } from './read-days.js';
import { readSeries, SERIES_AT_ONCE } from './read-series.js';
import { difference, noSums, type StoredSums } from './stored-sums.js';

/**
 * A page of usage. Series are read some at a time, each slice of one moment and in a turn of its own: so a reader of many series does not hold up others, and what is
 * charged between two slices may be in one of them.
 */
export async function readUsage(access: Access, query: CheckedUsageQuery): Promise<readonly UsageRow[]> {
  return usagePage(query.by === 'day' ? await readDays(access, query) : await groupsOf(access, query), query);
}

async function groupsOf({ read }: Access, query: CheckedUsageQuery): Promise<Map<string, StoredSums>> {
  const groups = new Map<string, StoredSums>();
  let after = 0n;
  for (;;) {
    const series = await read((connection) => readSeries(connection, query, after));
    for (const { group, sums, before } of series) {
      // What has no entry in these days is in no group of them.
      if (sums.entries > (before?.entries ?? 0)) addTo(groups, group, difference(sums, before));
    }
    const last = series.at(-1);
    if (last === undefined || series.length < SERIES_AT_ONCE) return groups;
    after = last.id;
    await nextTurn();
  }
}

function addTo(groups: Map<string, StoredSums>, group: string, sums: StoredSums): void {
  const known = groups.get(group) ?? noSums();
  groups.set(group, known);
  addSums(known, sums);
}
