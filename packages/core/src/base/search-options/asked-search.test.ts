import { describe, expect, it } from 'vitest';
import { firstDay, resolvedSearch } from './asked-search.js';

const NOW = Date.UTC(2026, 2, 1, 0, 30);

describe('resolvedSearch', () => {
  it.each([
    ['day', '2026-02-28T00:30:00.000Z'],
    ['week', '2026-02-22T00:30:00.000Z'],
    ['month', '2026-01-29T00:30:00.000Z'],
    ['year', '2025-03-01T00:30:00.000Z'],
  ] as const)('says when it begins that something is fresh: %s', (freshness, from) => {
    const period = { from, to: '2026-03-01T00:30:00.000Z' };
    expect(resolvedSearch({ freshness }, NOW)).toEqual({ freshness, period });
  });

  it.each([
    ['2026-01-02', '2026-01-03', '2026-01-02', '2026-01-03'],
    ['2026-01-02', undefined, '2026-01-02', '2026-03-01'],
    ['2026-03-02', undefined, '2026-03-02', '2026-03-02'],
    [undefined, '2026-01-03', '1970-01-01', '2026-01-03'],
    [undefined, '1969-07-20', '1969-07-20', '1969-07-20'],
  ])('fills the open end of the days from %s to %s', (publishedAfter, publishedBefore, first, last) => {
    const search = { publishedAfter, publishedBefore };
    expect(resolvedSearch(search, NOW)).toEqual({ ...search, days: { first, last } });
  });

  it('returns the options unchanged without freshness and days', () => {
    const search = { country: 'DE' };
    expect(resolvedSearch(search, NOW)).toBe(search);
  });
});

describe('firstDay', () => {
  it('is the day of freshness or of publishedAfter', () => {
    expect(firstDay(resolvedSearch({ freshness: 'week' }, NOW))).toBe('2026-02-22');
    expect(firstDay({ publishedAfter: '2026-01-31' })).toBe('2026-01-31');
    expect(firstDay({ publishedBefore: '2026-01-31' })).toBeUndefined();
  });
});
