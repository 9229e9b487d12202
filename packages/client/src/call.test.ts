import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginCall, SYSTEM_TIMERS } from './call.js';
import { readOptions } from './read-options.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('SYSTEM_TIMERS.sleep', () => {
  it('resolves after its delay', async () => {
    const asleep = SYSTEM_TIMERS.sleep(1_000, new AbortController().signal);
    vi.advanceTimersByTime(1_000);
    await asleep;
  });

  it.each([
    ['has been aborted', AbortSignal.abort(new Error('no'))],
    ['is aborted', undefined],
  ])('rejects if its signal %s, and leaves no timer', async (_when, signal) => {
    const controller = new AbortController();
    const asleep = SYSTEM_TIMERS.sleep(1_000, signal ?? controller.signal);
    controller.abort(new Error('no'));
    await expect(asleep).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('beginCall', () => {
  it('ends the call after exactly timeoutMs', () => {
    const call = beginCall({ timeoutMs: 50 }, readOptions({ baseUrl: 'https://gateway.test' }), SYSTEM_TIMERS);
    vi.advanceTimersByTime(49);
    expect(call.failure('other')).toBe('other');
    vi.advanceTimersByTime(1);
    expect(call.failure('other')).toMatchObject({ reason: 'timeout' });
  });

  it('leaves neither timer nor listener after the call', () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const settings = readOptions({ baseUrl: 'https://gateway.test' });
    const call = beginCall({ signal: controller.signal }, settings, SYSTEM_TIMERS);
    call.end();
    controller.abort();
    expect([vi.getTimerCount(), remove.mock.calls.length, call.signal.aborted]).toEqual([0, 1, false]);
  });

  it('leaves no timer after an invalid signal', () => {
    const settings = readOptions({ baseUrl: 'https://gateway.test' });
    expect(() => beginCall({ signal: {} as AbortSignal }, settings, SYSTEM_TIMERS)).toThrow(TypeError);
    expect(vi.getTimerCount()).toBe(0);
  });
});
