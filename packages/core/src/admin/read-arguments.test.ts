import { expect, it } from 'vitest';
import { readDateTime, readDay } from './read-arguments.js';

it('reads a date as its midnight UTC', () => {
  expect(readDay('from', '1970-01-01')).toBe(0);
  expect(readDay('from', '2028-02-29')).toBe(Date.UTC(2028, 1, 29));
});

it.each(['', '21.11.2026', '2026-02-29', '2026-11-21T00:00:00Z', '1969-12-31', '2026-1-1', 'today'])(
  'refuses %j as a date',
  (text) => {
    expect(() => readDay('from', text)).toThrow(`from: found ${JSON.stringify(text)}, expected an ISO date`);
  },
);

it('reads a time with its offset, and refuses one without', () => {
  expect(readDateTime('expiresAt', '2026-11-21T02:00:00+02:00')).toBe(Date.UTC(2026, 10, 21));
  expect(() => readDateTime('expiresAt', '2026-11-21T00:00:00')).toThrow('expiresAt: found "2026-11-21T00:00:00"');
});
