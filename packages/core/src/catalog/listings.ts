import type { Category, ModelEntry } from './model-entry.js';

/** A list of entries, and the time until which its prices are valid. */
interface Listing {
  readonly entries: readonly ModelEntry[];
  readonly validUntilMs: number;
}

/** What is listed, and at which prices. */
export interface ListingKey {
  readonly category: Category | undefined;
  readonly callable: boolean | undefined;
  readonly markup: bigint;
}

/** Most cached lists. Markups come from the configuration, at most one per organization; the oldest list is dropped first. */
const MAX_LISTINGS = 100;

/** Caches lists. The body of a list can then be cached as well, by the identity of its array. */
export function createListings(make: (key: ListingKey) => Listing) {
  const made = new Map<string, Listing>();
  return {
    get(key: ListingKey, nowMs: number): readonly ModelEntry[] {
      const name = `${key.category ?? ''} ${key.callable ?? ''} ${key.markup}`;
      const known = made.get(name);
      if (known !== undefined && nowMs < known.validUntilMs) return known.entries;
      const listing = make(key);
      made.delete(name);
      made.set(name, listing);
      const [oldest] = made.keys();
      if (made.size > MAX_LISTINGS && oldest !== undefined) made.delete(oldest);
      return listing.entries;
    },
  };
}
