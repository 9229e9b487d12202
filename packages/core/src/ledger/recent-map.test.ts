import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecentMap } from './recent-map.js';

describe('createRecentMap', () => {
  it('keeps at least its newest keys and at most twice as many', () => {
    const writes = fc.array(fc.nat(30), { maxLength: 100, size: 'max' });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), writes, (capacity, keys) => {
        const map = createRecentMap<number>(capacity);
        const written = keys.map((key, index) => {
          map.set(`key-${key}`, index);
          return key;
        });
        const newestFirst = [...new Set(written.reverse())];
        const kept = newestFirst.filter((key) => map.get(`key-${key}`) !== undefined);
        expect(kept.length).toBeLessThanOrEqual(2 * capacity);
        expect(kept.slice(0, capacity)).toEqual(newestFirst.slice(0, capacity));
        for (const key of kept) expect(map.get(`key-${key}`)).toBe(keys.length - 1 - written.indexOf(key));
      }),
    );
  });
});
