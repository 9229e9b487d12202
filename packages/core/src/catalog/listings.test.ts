import { describe, expect, it } from 'vitest';
import { createListings, type ListingKey } from './listings.js';

const of = (category: ListingKey['category'], markup: bigint): ListingKey => ({
  category,
  callable: undefined,
  markup,
});

function start(validUntilMs = Number.POSITIVE_INFINITY) {
  const made: string[] = [];
  const listings = createListings(({ category, markup }) => {
    made.push(`${category} ${markup}`);
    return { entries: [], validUntilMs };
  });
  return { made, listings };
}

describe('listings', () => {
  it('return the same array for the same query', () => {
    const { listings, made } = start();
    expect(listings.get(of('search', 1n), 0)).toBe(listings.get(of('search', 1n), 1));
    expect(made).toEqual(['search 1']);
  });

  it('keep categories and markups apart', () => {
    const { listings, made } = start();
    for (const category of ['search', 'answer', undefined] as const) listings.get(of(category, 1n), 0);
    listings.get(of('search', 2n), 0);
    expect(made).toEqual(['search 1', 'answer 1', 'undefined 1', 'search 2']);
  });

  it('are made again when a price changes', () => {
    const { listings, made } = start(100);
    listings.get(of('search', 1n), 99);
    listings.get(of('search', 1n), 99);
    listings.get(of('search', 1n), 100);
    expect(made).toEqual(['search 1', 'search 1']);
  });

  it('are bounded, and drop the oldest first', () => {
    const { listings, made } = start();
    for (let markup = 0n; markup <= 100n; markup += 1n) listings.get(of(undefined, markup), 0);
    listings.get(of(undefined, 100n), 0);
    expect(made).toHaveLength(101);
    listings.get(of(undefined, 0n), 0);
    expect(made).toHaveLength(102);
  });

  it('keep the hundred lists that were made last', () => {
    const { listings, made } = start(100);
    for (let markup = 1n; markup <= 100n; markup += 1n) listings.get(of(undefined, markup), 0);
    listings.get(of(undefined, 1n), 0);
    expect(made).toHaveLength(100);
    // Made again after a price change, so it is the youngest one.
    listings.get(of(undefined, 1n), 100);
    expect(made).toHaveLength(101);
    listings.get(of(undefined, 101n), 0);
    listings.get(of(undefined, 1n), 0);
    expect(made).toHaveLength(102);
    listings.get(of(undefined, 2n), 0);
    expect(made).toHaveLength(103);
  });
});
