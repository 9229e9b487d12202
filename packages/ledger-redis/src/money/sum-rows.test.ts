import { expect, it } from 'vitest';
import { addTo, createTotals, sumsOf } from './sum-rows.js';

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
