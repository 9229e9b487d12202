import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.js';
import { createDeadlines, createTimeLimit, Deadline } from './deadline.js';

function start(timeoutMs = 1_000) {
  const clock = createFakeClock();
  return { clock, deadline: new Deadline(clock, timeoutMs) };
}

describe('Deadline', () => {
  it('passes at its time and not before', async () => {
    const { clock, deadline } = start();
    await clock.advance(999);
    expect(deadline.passed).toBe(false);
    await clock.advance(1);
    expect(deadline.passed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('calls the innermost callback first, each once', async () => {
    const { clock, deadline } = start();
    const called: string[] = [];
    for (const name of ['outer', 'middle', 'inner']) deadline.onPass(() => called.push(name));
    await clock.advance(5_000);
    expect(called).toEqual(['inner', 'middle', 'outer']);
  });

  it('does not pass after its work has ended, and does not abort its signal', () => {
    const { clock, deadline } = start();
    const { signal } = deadline;
    deadline.clear();
    deadline.pass();
    expect([deadline.passed, signal.aborted, clock.pendingTimers]).toEqual([false, false, 0]);
  });

  it('does not call a callback that was removed', async () => {
    const { clock, deadline } = start();
    const called: string[] = [];
    const takeBack = deadline.onPass(() => called.push('done'));
    deadline.onPass(() => called.push('waiting'));
    takeBack();
    await clock.advance(1_000);
    expect(called).toEqual(['waiting']);
  });

  it('calls each callback once, however often pass is called', () => {
    const { deadline } = start();
    let calls = 0;
    deadline.onPass(() => (calls += 1));
    deadline.pass();
    deadline.pass();
    expect(calls).toBe(1);
  });

  it('calls a callback at once if the deadline has passed', async () => {
    const { clock, deadline } = start();
    await clock.advance(1_000);
    let calls = 0;
    const takeBack = deadline.onPass(() => {
      calls += 1;
    });
    takeBack();
    expect(calls).toBe(1);
  });

  it('aborts its signal after the callbacks', async () => {
    const { clock, deadline } = start();
    const { signal } = deadline;
    let abortedWhenTold: boolean | undefined;
    deadline.onPass(() => {
      abortedWhenTold = signal.aborted;
    });
    expect(signal.aborted).toBe(false);
    await clock.advance(1_000);
    expect(abortedWhenTold).toBe(false);
    expect(signal.aborted).toBe(true);
    expect((signal.reason as DOMException).name).toBe('TimeoutError');
    expect(deadline.signal).toBe(signal);
  });

  it('returns an aborted signal after it has passed', async () => {
    const { clock, deadline } = start();
    await clock.advance(1_000);
    expect(deadline.signal.aborted).toBe(true);
    expect((deadline.signal.reason as DOMException).name).toBe('TimeoutError');
  });

  it('never passes once it is cleared', async () => {
    const { clock, deadline } = start();
    const { signal } = deadline;
    let calls = false;
    deadline.onPass(() => {
      calls = true;
    });
    deadline.clear();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10_000);
    expect([calls, signal.aborted, deadline.passed]).toEqual([false, false, false]);
  });
});

describe('createDeadlines', () => {
  it('makes all running deadlines pass together, and no cleared deadline', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const [cleared, running] = [deadlines.start(1_000), deadlines.start(2_000)];
    let calls = 0;
    running.onPass(() => (calls += 1));
    cleared.clear();
    expect(deadlines.areOver()).toBe(false);
    deadlines.endAll();
    expect([cleared.passed, running.passed, calls]).toEqual([false, true, 1]);
    expect(deadlines.areOver()).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('calls each callback once', async () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    let calls = 0;
    deadlines.start(1_000).onPass(() => (calls += 1));
    await clock.advance(1_000);
    deadlines.endAll();
    expect(calls).toBe(1);
  });

  it('sleeps until its time, or until all deadlines end', async () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const awake: string[] = [];
    const short = deadlines.sleep(100).then(() => awake.push('short'));
    const long = deadlines.sleep(1_000).then(() => awake.push('long'));
    await clock.advance(99);
    expect(awake).toEqual([]);
    await clock.advance(1);
    await short;
    expect(awake).toEqual(['short']);
    deadlines.endAll();
    await long;
    expect(clock.pendingTimers).toBe(0);
  });
});

const never = (): Promise<never> => new Promise(() => undefined);
const late = (): Error => new Error('too late');

function startLimit() {
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
    const { limit } = startLimit();
    expect(await limit.wait(Promise.resolve(7))).toBe(7);
    await expect(limit.wait(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('ends each wait at its own time', async () => {
    const { clock, watch, ended } = startLimit();
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
    const { clock, limit } = startLimit();
    let timeouts = 0;
    const onTimeout = () => {
      timeouts += 1;
    };
    await limit.wait(work(), onTimeout).catch(() => undefined);
    await clock.advance(1_000);
    expect(timeouts).toBe(0);
  });

  it('works again after a time without any work', async () => {
    const { clock, watch, ended } = startLimit();
    watch('first', () => Promise.resolve('done'));
    await clock.advance(5_000);
    watch('second', never);
    await clock.advance(1_000);
    expect(ended).toEqual(['first done', 'second too late']);
  });

  it('passes the abandoned work to onTimeout, so that its late result can be undone', async () => {
    const { clock, limit } = startLimit();
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
