import { describe, expect, it } from 'vitest';
import { dateOfDay, dayOf, firstDayOf, LAST_DAY, monthOfDay } from './days.js';

describe('days since the Unix epoch', () => {
  it.each([
    ['1969-12-31T23:59:59.999Z', -1],
    ['1970-01-01T00:00:00.000Z', 0],
    ['1970-01-01T23:59:59.999Z', 0],
    ['2026-11-21T12:00:00.000Z', 20_778],
    ['9999-12-31T23:59:59.999Z', LAST_DAY],
  ])('are counted at midnight UTC: %s is in day %i', (moment, day) => {
    expect(dayOf(Date.parse(moment))).toBe(day);
    expect(dateOfDay(day)).toBe(moment.slice(0, 10));
  });

  it.each([
    ['1970-01-31', 0, '1970-01-01'],
    ['1970-02-01', 1, '1970-02-01'],
    ['1971-01-15', 12, '1971-01-01'],
    ['2026-11-21', 682, '2026-11-01'],
    ['2028-02-29', 697, '2028-02-01'],
  ])('fall into months: %s into month %i, which begins on %s', (date, month, first) => {
    expect(monthOfDay(dayOf(Date.parse(date)))).toBe(month);
    expect(dateOfDay(firstDayOf(month))).toBe(first);
  });
});
