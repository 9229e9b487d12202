import { madeIn } from '../base/made-in.js';
import type { CheckedUsageQuery } from './create-ledger.js';
import { addSums, type MutableSums, noUsage, type UsageRow, type UsageSums } from './usage.js';

/** Adds sums to those of a group. */
export function addToGroup<Group>(groups: Map<Group, MutableSums>, group: Group, sums: UsageSums): void {
  addSums(madeIn(groups, group, noUsage), sums);
}

/**
 * The page of a usage query, for engines that group rows in this process.
 *
 * @param groups every group that may be on the page, in any order; an empty text for entries without a group.
 * @param sumsOf makes the sums of a group on the page.
 */
export function usagePage<Sums>(
  groups: ReadonlyMap<string, Sums>,
  { after = '', limit }: PageQuery,
  sumsOf: (sums: Sums) => UsageSums,
): UsageRow[] {
  const behind = Buffer.from(after);
  // In the order of the bytes of their UTF-8.
  const named = [...groups]
    .map(([group, sums]) => ({ bytes: Buffer.from(group), group, sums }))
    .filter(({ bytes }) => bytes.length > 0 && Buffer.compare(bytes, behind) > 0)
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes));
  const rows: UsageRow[] = named.slice(0, limit).map(({ group, sums }) => ({ group, ...sumsOf(sums) }));
  const others = groups.get('');
  return others === undefined || rows.length === limit ? rows : [...rows, { group: null, ...sumsOf(others) }];
}

type PageQuery = Pick<CheckedUsageQuery, 'after' | 'limit'>;
