import { describe, expect, it } from 'vitest';
import { dateOfDay, dayOf, firstDayOf, isClock, LAST_DAY, monthOfDay, systemClock } from './clock.js';

const liveTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('systemClock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('has a monotonic time that never goes backwards', () => {
    const times = Array.from({ length: 1_000 }, () => systemClock.monotonic());
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('calls back once, unless canceled first', async () => {
    const called: string[] = [];
    const cancel = systemClock.schedule(1, () => called.push('canceled'));
    systemClock.schedule(1, () => called.push('kept'));
    cancel();
    // Timers of the same delay fire in the order they were made.
    await new Promise<void>((resolve) => systemClock.schedule(1, resolve));
    expect(called).toEqual(['kept']);
    cancel();
  });

  it('keeps the process alive for timers of callers, not for background timers', () => {
    const before = liveTimers();
    const cancelHousekeeping = systemClock.schedule(60_000, () => undefined, 'background');
    expect(liveTimers()).toBe(before);
    const cancel = systemClock.schedule(60_000, () => undefined);
    expect(liveTimers()).toBe(before + 1);
    cancel();
    cancelHousekeeping();
    expect(liveTimers()).toBe(before);
  });
});

describe('isClock', () => {
  const { now, monotonic, schedule } = systemClock;

  it('accepts objects with every method of a clock', () => {
    expect(isClock(systemClock)).toBe(true);
    expect(isClock({ now, monotonic, schedule })).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a clock without now', { monotonic, schedule }],
    ['a clock without monotonic', { now, schedule }],
    ['a clock without schedule', { now, monotonic }],
    ['a clock whose time is a number', { now: 5, monotonic, schedule }],
  ])('refuses %s', (_what, value) => {
    expect(isClock(value)).toBe(false);
  });
});

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
