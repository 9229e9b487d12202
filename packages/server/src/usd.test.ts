import { expect, it } from 'vitest';
import { usd } from './usd.js';

it.each([
  [25_000_000_000n, '$25.00'],
  [1_500_000n, '$0.0015'],
  [-1_500_000_000n, '-$1.50'],
  [0n, '$0.00'],
  [2n ** 62n, '$4611686018.427387904'],
])('usd prints %s nanodollars as %s', (amount, printed) => {
  expect(usd(amount)).toBe(printed);
});
