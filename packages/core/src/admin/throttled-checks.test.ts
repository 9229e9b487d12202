import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createThrottledChecks } from './throttled-checks.js';

/** Checks that take until the test ends them. */
function start() {
  const clock = createFakeClock();
  const checked: string[] = [];
  const running: ((againMs: number | null) => void)[] = [];
  let refusals = 0;
  const checks = createThrottledChecks<string>({
    clock,
    check: (subject) => {
      checked.push(subject);
      return new Promise((resolve) => running.push(resolve));
    },
    refused: () => (refusals += 1),
  });
  const endAll = async (againMs: number | null = null) => {
    for (const end of running.splice(0)) end(againMs);
    await nextTurn();
  };
  return { clock, checked, running, checks, endAll, refusals: () => refusals };
}

describe('createThrottledChecks', () => {
  it('checks the first request at once, and further requests during that check with one check a second later', async () => {
    const { clock, checked, checks, endAll } = start();
    for (const subject of ['first', 'second', 'third']) checks.request('key', subject);
    expect(checked).toEqual(['first']);
    await endAll();
    await clock.advance(999);
    expect(checked).toEqual(['first']);
    await clock.advance(1);
    expect(checked).toEqual(['first', 'third']);
    await endAll();
    await clock.advance(10_000);
    expect(checked).toEqual(['first', 'third']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('checks a request that came in the pause after a check', async () => {
    const { clock, checked, checks, endAll } = start();
    checks.request('key', 'first');
    await endAll();
    checks.request('key', 'last');
    expect(checked).toEqual(['first']);
    await clock.advance(1_000);
    expect(checked).toEqual(['first', 'last']);
  });

  it('checks again after the time that a check asks for', async () => {
    const { clock, checked, checks, endAll } = start();
    checks.request('key', 'first');
    await endAll(5_000);
    await clock.advance(4_999);
    expect(checked).toEqual(['first']);
    await clock.advance(1);
    expect(checked).toEqual(['first', 'first']);
  });

  it('runs at most eight checks at once', async () => {
    const { checked, checks, endAll } = start();
    for (let index = 0; index < 20; index += 1) checks.request(`key-${index}`, `subject-${index}`);
    expect(checked).toHaveLength(8);
    await endAll();
    expect(checked).toHaveLength(16);
    await endAll();
    expect(checked).toHaveLength(20);
  });

  it('keeps at most 100,000 subjects, and reports each further one', () => {
    const { checks, refusals } = start();
    for (let index = 0; index < 100_002; index += 1) checks.request(`key-${index}`, 'subject');
    expect(refusals()).toBe(2);
    checks.request('key-5', 'subject');
    expect(refusals()).toBe(2);
  });

  it('checks the remaining subjects when it is closed, without pauses, and waits for the checks', async () => {
    const { clock, checked, checks, endAll } = start();
    checks.request('pausing', 'pausing');
    await endAll();
    checks.request('pausing', 'pausing, due');
    checks.request('running', 'running');
    checks.request('running', 'running, due');
    const state = { isClosed: false };
    const closing = checks.close().then(() => (state.isClosed = true));
    expect(checked).toEqual(['pausing', 'running', 'pausing, due']);
    await endAll();
    expect(checked).toEqual(['pausing', 'running', 'pausing, due', 'running, due']);
    expect(state.isClosed).toBe(false);
    await endAll(5_000);
    await closing;
    expect(checked).toHaveLength(4);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is closed at once when nothing is left', async () => {
    const { clock, checks, endAll } = start();
    checks.request('key', 'first');
    await endAll();
    await checks.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
