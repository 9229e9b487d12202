import { expect, it } from 'vitest';
import { noSums, rowOfSums } from './stored-sums.js';

const MOST = 2n ** 63n - 1n;

it.each([
  [MOST + 1n, MOST],
  [-MOST - 1n, -MOST],
  [MOST - 1n, MOST - 1n],
])('keeps a sum of %s within what a column holds', (adjusted, stored) => {
  expect(rowOfSums({ ...noSums(), adjusted })[6]).toBe(stored);
});
