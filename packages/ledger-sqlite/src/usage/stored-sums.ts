import {
  addSums,
  differenceOfSums,
  MAX_TOTAL_NANO_USD,
  type MutableSums,
  type NanoUsd,
  noUsage,
} from '@searchgate/core/ledger';

/** Sums as they are stored: with the number of entries, which says whether there are any. */
export interface StoredSums extends MutableSums {
  entries: number;
}

/** Their columns, in the order of their rows. */
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
  const at = (index: number) => row[first + index] as bigint;
  return {
    entries: Number(at(0)),
    charges: Number(at(1)),
    cachedCharges: Number(at(2)),
    charged: at(3),
    cached: at(4),
    upstreamCost: at(5),
    adjusted: at(6),
    granted: at(7),
    lost: at(8),
  };
}

export function rowOfSums(sums: StoredSums): bigint[] {
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

/** What was added to `before` to make it `sums`. @param before none: there was nothing. */
export function difference(sums: StoredSums, before: StoredSums | undefined): StoredSums {
  if (before === undefined) return sums;
  return { entries: sums.entries - before.entries, ...differenceOfSums(sums, before) };
}

/** No counter bounds all of these sums. One that has no more room stays at the bound, since what it is of has happened. */
function within64Bits(amount: NanoUsd): NanoUsd {
  if (amount > MAX_TOTAL_NANO_USD) return MAX_TOTAL_NANO_USD;
  return amount < -MAX_TOTAL_NANO_USD ? -MAX_TOTAL_NANO_USD : amount;
}
