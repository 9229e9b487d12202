import type { CheckedUsageQuery } from './create-ledger.js';
import type { UsageRow, UsageSums } from './usage.js';

/**
 * The page of a query, for engines that group in this process.
 *
 * @param groups every group that may be on the page, in any order; an empty text for what has none.
 */
export function usagePage(
  groups: ReadonlyMap<string, UsageSums>,
  { after, limit }: Pick<CheckedUsageQuery, 'after' | 'limit'>,
): UsageRow[] {
  const named = [...groups.keys()].filter(
    (group) => group !== '' && (after === undefined || compare(group, after) > 0),
  );
  const ordered = named.sort(compare);
  if (groups.has('')) ordered.push('');
  return ordered.slice(0, limit).map((group) => rowOf(group, groups.get(group) as UsageSums));
}

function rowOf(group: string, sums: UsageSums): UsageRow {
  const { charges, charged, cachedCharges, cached, upstreamCost, adjusted, granted, lost } = sums;
  const all = { charges, charged, cachedCharges, cached, upstreamCost, adjusted, granted, lost };
  return { group: group === '' ? null : group, ...all };
}

/** By the bytes of their UTF-8. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
