import { expect, it } from 'vitest';
import { askedSearch } from './asked-search.js';

const NOW = Date.UTC(2026, 2, 1, 0, 30);

it.each([
  ['day', '2026-02-28'],
  ['week', '2026-02-22'],
  ['month', '2026-01-29'],
  ['year', '2025-03-01'],
] as const)('goes back to a day for vendors that take dates: %s', (freshness, freshFrom) => {
  expect(askedSearch({ freshness }, NOW)).toEqual({ freshness, freshFrom });
});

it('is the options themselves where no freshness is asked for', () => {
  const search = { country: 'DE' };
  expect(askedSearch(search, NOW)).toBe(search);
});
