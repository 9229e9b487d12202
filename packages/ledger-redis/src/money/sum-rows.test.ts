import { expect, it } from 'vitest';
import { addTo, createTotals, rowsOf, sumsOf } from './sum-rows.js';

it.each([
  ['999999999999999', 20],
  ['-999999999999999', 20],
  ['9223372036854775807', 3],
])('adds up %s %d times to the nanodollar', (figure, times) => {
  const totals = createTotals();
  for (let count = 0; count < times; count += 1) addTo(totals, `1 ${figure} 0 0 0 ${figure} 0 7`);
  const sum = BigInt(figure) * BigInt(times);
  expect(sumsOf(totals)).toMatchObject({ charges: times, charged: sum, adjusted: sum, lost: 7n * BigInt(times) });
});

it('adds figures of any size to each other, in any order', () => {
  const figures = [
    '4503599627370495',
    '999999999999999',
    '-999999999999999',
    '1',
    '-4503599627370496',
    '12345678901234567890',
  ];
  for (const order of [figures, figures.toReversed()]) {
    const totals = createTotals();
    for (let count = 0; count < 9; count += 1) for (const figure of order) addTo(totals, `0 ${figure}`);
    expect(sumsOf(totals).charged).toBe(9n * figures.reduce((sum, figure) => sum + BigInt(figure), 0n));
  }
});

it('gives each figure its name', () => {
  const totals = createTotals();
  addTo(totals, '1 2 3');
  addTo(totals, '10 20 30 40 50 60 70 80');
  expect(sumsOf(totals)).toEqual({
    charges: 11,
    charged: 22n,
    upstreamCost: 33n,
    cachedCharges: 40,
    cached: 50n,
    adjusted: 60n,
    granted: 70n,
    lost: 80n,
  });
});

it('reads the rows of a text, of which the last has no line end', () => {
  expect([...rowsOf('')]).toEqual([]);
  expect([...rowsOf('\nacme key-1 a b\tteam\t1 2 3\nacme k m\t\u0001b:1 b:2\t4\nacme  \t\t0')]).toEqual([
    { owner: 'acme key-1 a b', tag: 'team', budgets: '', sums: '1 2 3' },
    { owner: 'acme k m', tag: '', budgets: 'b:1 b:2', sums: '4' },
    { owner: 'acme  ', tag: '', budgets: '', sums: '0' },
  ]);
});
