import { describe, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.js';

describe('createFakeClock', () => {
  it('stands still until it is advanced, and moves both times alike', async () => {
    const clock = createFakeClock(5_000);
    const monotonicStart = clock.monotonic();
    expect(clock.now()).toBe(5_000);
    await clock.advance(250);
    expect(clock.now()).toBe(5_250);
    expect(clock.monotonic() - monotonicStart).toBe(250);
  });

  it('runs due timers in the order of their times, each at its own time', async () => {
    const clock = createFakeClock(0);
    const ran: [string, number][] = [];
    clock.schedule(20, () => ran.push(['late', clock.now()]));
    clock.schedule(10, () => ran.push(['first of two', clock.now()]));
    clock.schedule(10, () => ran.push(['second of two', clock.now()]));
    clock.schedule(31, () => ran.push(['not due', clock.now()]));
    await clock.advance(30);
    expect(ran).toEqual([
      ['first of two', 10],
      ['second of two', 10],
      ['late', 20],
    ]);
    expect(clock.now()).toBe(30);
    expect(clock.pendingTimers).toBe(1);
  });

  it('runs timers that earlier timers and their promise callbacks schedule', async () => {
    const clock = createFakeClock(0);
    const wokenAt: number[] = [];
    const loop = (async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise<void>((resolve) => clock.schedule(10, resolve));
        wokenAt.push(clock.now());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(wokenAt).toEqual([10, 20, 30]);
  });

  it('never runs a canceled timer', async () => {
    const clock = createFakeClock();
    let ran = false;
    const cancel = clock.schedule(10, () => {
      ran = true;
    });
    cancel();
    await clock.advance(20);
    expect(ran).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects the advance with the error of a timer', async () => {
    const clock = createFakeClock(0);
    clock.schedule(10, () => {
      throw new Error('from the timer');
    });
    await expect(clock.advance(20)).rejects.toThrow('from the timer');
    expect(clock.now()).toBe(10);
  });

  it('refuses to go backwards', async () => {
    const clock = createFakeClock();
    await expect(clock.advance(-1)).rejects.toThrow(RangeError);
    await expect(clock.advance(Number.NaN)).rejects.toThrow(RangeError);
  });
});
