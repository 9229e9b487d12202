import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.js';
import { createTimeLimit } from './time-limit.js';

const never = (): Promise<never> => new Promise(() => undefined);
const late = (): Error => new Error('too late');

function start() {
  const clock = createFakeClock();
  const limit = createTimeLimit(clock, 1_000, { timedOut: late });
  const ended: string[] = [];
  const watch = (name: string, work: () => Promise<unknown>): void => {
    limit.wait(work()).then(
      (value) => ended.push(`${name} ${String(value)}`),
      (error: unknown) => ended.push(`${name} ${(error as Error).message}`),
    );
  };
  return { clock, limit, ended, watch };
}

describe('a time limit', () => {
  it('passes on the result of the work', async () => {
    const { limit } = start();
    expect(await limit.wait(Promise.resolve(7))).toBe(7);
    await expect(limit.wait(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('ends each wait at its own time', async () => {
    const { clock, watch, ended } = start();
    watch('first', never);
    await clock.advance(400);
    watch('second', never);
    await clock.advance(599);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['first too late']);
    await clock.advance(399);
    expect(ended).toHaveLength(1);
    await clock.advance(1);
    expect(ended).toEqual(['first too late', 'second too late']);
  });

  it('has one timer for all waits, which keeps no process alive', async () => {
    const { monotonic, ...clock } = createFakeClock();
    const timers: unknown[] = [];
    const schedule: Clock['schedule'] = (delayMs, callback, background) => {
      timers.push([delayMs, background]);
      return clock.schedule(delayMs, callback);
    };
    const limit = createTimeLimit({ ...clock, monotonic, schedule }, 1_000, { timedOut: late });
    const outcomes = ['first', 'second'].map((name) => limit.wait(never()).catch((error) => `${name}: ${error}`));
    expect(timers).toEqual([[1_000, 'background']]);
    await clock.advance(1_000);
    expect(await Promise.all(outcomes)).toEqual(['first: Error: too late', 'second: Error: too late']);
  });

  it.each([
    ['succeeded', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('broken'))],
  ])('says nothing of work that has %s', async (_how, work) => {
    const { clock, limit } = start();
    let timeouts = 0;
    const onTimeout = () => {
      timeouts += 1;
    };
    await limit.wait(work(), onTimeout).catch(() => undefined);
    await clock.advance(1_000);
    expect(timeouts).toBe(0);
  });

  it('works again after a time without any work', async () => {
    const { clock, watch, ended } = start();
    watch('first', () => Promise.resolve('done'));
    await clock.advance(5_000);
    watch('second', never);
    await clock.advance(1_000);
    expect(ended).toEqual(['first done', 'second too late']);
  });

  it('passes the abandoned work to onTimeout, so that its late result can be undone', async () => {
    const { clock, limit } = start();
    let finish: (value: string) => void = () => undefined;
    let abandoned: Promise<string> | undefined;
    const work = new Promise<string>((resolve) => (finish = resolve));
    const outcome = limit.wait(work, (left) => {
      abandoned = left;
    });
    const refused = outcome.catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await refused).toEqual(new Error('too late'));
    finish('after all');
    expect(await abandoned).toBe('after all');
  });
});
