import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { type BackgroundRetryDeps, createBackgroundRetry } from './background-retry.js';

const MAX_PENDING = 10_000;

function start(changes: Partial<BackgroundRetryDeps<string>> = {}) {
  const clock = createFakeClock();
  const tried: string[] = [];
  const finals: string[] = [];
  const retry = createBackgroundRetry<string>({
    clock,
    attempt: (work) => (tried.push(work), Promise.reject(new Error('down'))),
    isPermanent: () => false,
    failed: (work, { final }) => void (final && finals.push(work)),
    recovered: () => undefined,
    ...changes,
  });
  return { clock, retry, tried, finals };
}

describe('background retry', () => {
  it('keeps at most ten thousand pieces of work, and gives up further ones', async () => {
    const { retry, finals, clock } = start();
    for (let each = 0; each < MAX_PENDING; each += 1) await retry.run('kept');
    expect([finals.length, clock.pendingTimers]).toEqual([0, MAX_PENDING]);
    await retry.run('one too many');
    expect([finals, clock.pendingTimers]).toEqual([['one too many'], MAX_PENDING]);
    // Work that was given up takes no room.
    await retry.run('another');
    expect(finals).toEqual(['one too many', 'another']);
  });

  it('counts only remaining work', async () => {
    let down = false;
    const attempt = () => (down ? Promise.reject(new Error('down')) : Promise.resolve());
    const { retry, finals, clock } = start({ attempt });
    for (let each = 0; each < MAX_PENDING; each += 1) await retry.run('done');
    down = true;
    await retry.run('left');
    expect([finals.length, clock.pendingTimers]).toEqual([0, 1]);
  });

  it('does not retry work that is done or given up', async () => {
    const { retry, tried } = start({ isPermanent: () => true });
    await retry.run('refused');
    await retry.close();
    expect(tried).toEqual(['refused']);
  });

  it('does not keep the process alive', async () => {
    const { retry, clock } = start();
    const kinds: unknown[] = [];
    const { schedule } = clock;
    clock.schedule = (delayMs, callback, kind) => (kinds.push(kind), schedule(delayMs, callback, kind));
    await retry.run('left');
    expect(kinds).toEqual(['background']);
  });
});
