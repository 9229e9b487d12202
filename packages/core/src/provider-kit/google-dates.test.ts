import { describe, expect, it } from 'vitest';
import { googleDates } from './google-dates.js';

describe('googleDates', () => {
  it.each([
    [{ freshness: 'day' }, 'qdr:d'],
    [{ freshness: 'week' }, 'qdr:w'],
    [{ freshness: 'month' }, 'qdr:m'],
    [{ freshness: 'year' }, 'qdr:y'],
    [{ days: { first: '2026-01-31', last: '2026-02-08' } }, 'cdr:1,cd_min:01/31/2026,cd_max:02/08/2026'],
    [{ country: 'DE' }, undefined],
  ] as const)('makes of %o the filter %s', (search, filter) => {
    expect(googleDates(search)).toBe(filter);
  });
});
