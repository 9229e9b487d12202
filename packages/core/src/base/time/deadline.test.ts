import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createDeadlines, Deadline } from './deadline.js';

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
