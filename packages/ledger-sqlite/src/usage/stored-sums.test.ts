import { expect, it } from 'vitest';
import { difference, noSums, rowOfSums } from './stored-sums.js';

const MOST = 2n ** 63n - 1n;

it.each([
  [MOST + 1n, MOST],
  [-MOST - 1n, -MOST],
  [MOST - 1n, MOST - 1n],
])('keeps a sum of %s within what a column holds', (adjusted, stored) => {
  expect(rowOfSums({ ...noSums(), adjusted })[6]).toBe(stored);
});

it('counts the entries that were added between two sums', () => {
  expect(difference({ ...noSums(), entries: 5, granted: 9n }, { ...noSums(), entries: 2, granted: 4n })).toEqual({
    ...noSums(),
    entries: 3,
    granted: 5n,
  });
});
