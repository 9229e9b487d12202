import { describe, expect, it } from 'vitest';
import { isClock, systemClock } from './clock.js';

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
