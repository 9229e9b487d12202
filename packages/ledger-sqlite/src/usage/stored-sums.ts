import { addSums, MAX_TOTAL_NANO_USD, type MutableSums, noUsage, usageSumsOf } from '@searchgate/core/ledger';

/** Sums as they are stored: with the number of entries, which says whether there are any. */
export interface StoredSums extends MutableSums {
  entries: number;
}

/** Their columns, in the order of their rows: the entries, then the sums in the order of `USAGE_SUMS`. */
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
  return Object.assign(usageSumsOf(row, first + 1), { entries: Number(row[first]) });
}

export function rowOfSums(sums: StoredSums): bigint[] {
  // Written out, since every charge comes here.
  const { entries, charges, cachedCharges, charged, cached, upstreamCost, adjusted, granted, lost } = sums;
  return [
    BigInt(entries),
    BigInt(charges),
    BigInt(cachedCharges),
    within64Bits(charged),
    within64Bits(cached),
    within64Bits(upstreamCost),
    within64Bits(adjusted),
    within64Bits(granted),
    within64Bits(lost),
  ];
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
