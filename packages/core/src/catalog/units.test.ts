import { expect, it } from 'vitest';
import { tokenCount } from './units.js';

it.each([0, 1, 2 ** 53 - 1])('accepts %d as a number of tokens', (count) => {
  expect(tokenCount(count)).toBe(count);
});

it.each([undefined, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
  'takes %d for no number of tokens',
  (count) => {
    expect(tokenCount(count)).toBeNull();
  },
);
