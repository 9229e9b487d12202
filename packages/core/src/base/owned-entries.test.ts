import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOwnedEntries } from './owned-entries.js';

const namesOf = (entries: Iterable<readonly [string, unknown]>) => [...entries].map(([name]) => name);

describe('entries of several owners', () => {
  it('lose the oldest of the owner with the most, by number and by bytes', () => {
    const byNumber = createOwnedEntries<number>({ maxEntries: 3, maxBytes: 100 });
    byNumber.set('g1', 1, { owner: 'globex', bytes: 90 });
    for (const name of ['a1', 'a2', 'a3']) byNumber.set(name, 1, { owner: 'acme', bytes: 1 });
    expect(namesOf(byNumber)).toEqual(['g1', 'a2', 'a3']);
    const byBytes = createOwnedEntries<number>({ maxBytes: 10 });
    for (const name of ['a1', 'a2']) byBytes.set(name, 1, { owner: 'acme', bytes: 2 });
    byBytes.set('g1', 1, { owner: 'globex', bytes: 6 });
    expect(byBytes.set('a3', 1, { owner: 'acme', bytes: 1 })).toBe(true);
    expect(namesOf(byBytes)).toEqual(['a1', 'a2', 'a3']);
  });

  it('become the newest of their owner when used', () => {
    const entries = createOwnedEntries<number>({ maxEntries: 2, maxBytes: 100 });
    entries.set('a1', 1, { owner: 'acme', bytes: 1 });
    entries.set('a2', 2, { owner: 'acme', bytes: 1 });
    expect([entries.use('a1'), entries.peek('a2'), entries.use('a4')]).toEqual([1, 2, undefined]);
    entries.set('a3', 3, { owner: 'acme', bytes: 1 });
    expect(namesOf(entries)).toEqual(['a1', 'a3']);
  });

  it('are not stored if too large, and replace the entry before anyway', () => {
    const entries = createOwnedEntries<number>({ maxBytes: 10 });
    entries.set('a1', 1, { owner: 'acme', bytes: 1 });
    expect(entries.set('a1', 1, { owner: 'acme', bytes: 11 })).toBe(false);
    expect(namesOf(entries)).toEqual([]);
  });

  it('of an owner below an even share are never lost to others, and the sum of all is bounded, in any history', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c', 'd'),
      name: fc.nat(6),
      bytes: fc.integer({ min: 1, max: 12 }),
      deletes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 80 }), (maxBytes, steps) => {
        const entries = createOwnedEntries<{ owner: string; bytes: number }>({ maxBytes });
        const bytesOf = (owner?: string) =>
          [...entries]
            .filter(([, value]) => owner === undefined || value.owner === owner)
            .reduce((sum, [, { bytes }]) => sum + bytes, 0);
        for (const { owner, name, bytes, deletes } of steps) {
          const others = ['a', 'b', 'c', 'd'].filter((other) => other !== owner);
          const before = new Map(others.map((other) => [other, bytesOf(other)]));
          if (deletes) entries.delete(`${owner}${name}`);
          else entries.set(`${owner}${name}`, { owner, bytes }, { owner, bytes });
          expect(bytesOf()).toBeLessThanOrEqual(maxBytes);
          const lost = others.filter((other) => bytesOf(other) < (before.get(other) ?? 0));
          const leastOfLosers = Math.min(...lost.map((other) => before.get(other) ?? 0), Number.POSITIVE_INFINITY);
          // All who have any, with the one that has set an entry, would have had more than fits.
          const having = others.filter((other) => (before.get(other) ?? 0) > 0).length + 1;
          expect(leastOfLosers * having).toBeGreaterThan(maxBytes);
        }
      }),
    );
  });
});
