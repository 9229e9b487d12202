import {
  addSums,
  MAX_TOTAL_NANO_USD,
  type MutableSums,
  noUsage,
  USAGE_SUMS,
  usageSumsOf,
} from '@searchgate/core/ledger';

/** Sums as they are stored: with the number of entries, which says whether there are any. */
export interface StoredSums extends MutableSums {
  entries: number;
}

/** Their columns, in the order of their rows: the entries, then {@link USAGE_SUMS}. */
export const SUM_COLUMNS = [
  'entries',
  'charges',
  'cached_charges',
  'charged',
  'cached',
  'upstream_cost',
  'adjusted',
  'granted',
  'lost',
] as const;

export function noSums(): StoredSums {
  return { entries: 0, ...noUsage() };
}

/** @param row may be longer. @param first where in it the sums begin. */
export function sumsOf(row: readonly unknown[], first = 0): StoredSums {
  const [entries = 0n, ...sums] = row.slice(first, first + SUM_COLUMNS.length) as bigint[];
  return { entries: Number(entries), ...usageSumsOf(sums) };
}

export function rowOfSums(sums: StoredSums): bigint[] {
  return [BigInt(sums.entries), ...USAGE_SUMS.map((name) => within64Bits(BigInt(sums[name])))];
}

export function addStored(sums: StoredSums, more: StoredSums): StoredSums {
  addSums(sums, more);
  sums.entries += more.entries;
  return sums;
}

/** No counter bounds all of these sums. A sum without room stays at the bound, since the charges have happened. */
function within64Bits(amount: bigint): bigint {
  if (amount > MAX_TOTAL_NANO_USD) return MAX_TOTAL_NANO_USD;
  return amount < -MAX_TOTAL_NANO_USD ? -MAX_TOTAL_NANO_USD : amount;
}
