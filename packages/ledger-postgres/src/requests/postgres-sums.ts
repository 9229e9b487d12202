import {
  addText,
  collectStatistics,
  entriesOf,
  inLongerSteps,
  type PackedSums,
  type StatisticsQuery,
  type StatisticsRow,
} from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';

type Batch = { readonly id: number; readonly sums: string };
type StoredSums = Omit<StatisticsRow, 'cost'> & { readonly cost: string };

/** Merges the sums of all batches that are kept for it. What a process that ends leaves, the next one merges. */
export async function mergeSums({ read, write }: Database): Promise<void> {
  // Again where another process has merged some. What comes meanwhile waits for the next time.
  for (let isMerged: boolean | undefined; isMerged !== true; ) {
    const batches = (await read<Batch[]>('pending_request_sums', () => [])) ?? [];
    if (batches.length === 0) return;
    const hours: PackedSums = new Map();
    for (const { sums } of batches) addText(hours, sums);
    const merged = [...entriesOf(hours, 'hour'), ...entriesOf(inLongerSteps(hours, 'day'), 'day')];
    isMerged = await write<boolean>('merge_request_sums', {
      first: batches[0]?.id,
      last: batches.at(-1)?.id,
      batches: batches.length,
      sums: merged.map((sum) => columnsOf({ ...sum, cost: `${sum.cost}` })),
    });
  }
}

/** @param values the query, and its times in whole milliseconds. */
export async function readSums(
  { read }: Database,
  query: StatisticsQuery,
  values: readonly unknown[],
): Promise<readonly StatisticsRow[]> {
  type Found = { readonly rows: StoredSums[] | null; readonly pending: string[] | null };
  const { rows, pending } = (await read<Found>('sums_of_requests', () => values)) ?? { rows: null, pending: null };
  const statistics = collectStatistics(query);
  for (const row of rows ?? []) statistics.addRow({ ...row, cost: BigInt(row.cost) });
  const sums: PackedSums = new Map();
  for (const text of pending ?? []) addText(sums, text);
  statistics.add(sums);
  return statistics.rows();
}
