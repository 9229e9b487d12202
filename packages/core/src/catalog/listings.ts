import type { Category, ModelEntry } from './model-entry.js';

/** A list of entries, and the time until which its prices are valid. */
export interface Listing {
  readonly entries: readonly ModelEntry[];
  readonly validUntilMs: number;
}

export interface Listings {
  get(category: Category | undefined, markup: bigint, nowMs: number): readonly ModelEntry[];
}

/** Most cached lists. Markups come from the configuration, at most one per organization; the oldest list is dropped first. */
const MAX_LISTINGS = 100;

/** Caches lists. The body of a list can then be cached as well, by the identity of its array. */
export function createListings(make: (category: Category | undefined, markup: bigint) => Listing): Listings {
  const made = new Map<string, Listing>();
  return {
    get(category, markup, nowMs) {
      const key = `${category ?? ''} ${markup}`;
      const known = made.get(key);
      if (known !== undefined && nowMs < known.validUntilMs) return known.entries;
      const listing = make(category, markup);
      made.delete(key);
      made.set(key, listing);
      const [oldest] = made.keys();
      if (made.size > MAX_LISTINGS && oldest !== undefined) made.delete(oldest);
      return listing.entries;
    },
  };
}
