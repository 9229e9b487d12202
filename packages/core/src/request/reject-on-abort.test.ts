import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isAbortSignal, rejectOnAbort } from './reject-on-abort.js';

const never = new Promise<never>(() => undefined);
const GONE = expect.objectContaining({ reason: 'client_closed_request' }) as Error;

describe('a call with a signal', () => {
  it('rejects at once when the signal is aborted, before or during the call', async () => {
    await expect(rejectOnAbort(never, AbortSignal.abort())).rejects.toEqual(GONE);
    const caller = new AbortController();
    const outcome = rejectOnAbort(never, caller.signal);
    caller.abort();
    await expect(outcome).rejects.toEqual(GONE);
  });

  it.each([
    ['resolves like the call', () => Promise.resolve('done'), 'done'],
    ['rejects as the call does', () => Promise.reject(new Error('broken')), new Error('broken')],
  ])('%s, and leaves no listener on the signal', async (_what, call, expected) => {
    const { signal } = new AbortController();
    const outcome = rejectOnAbort<unknown>(call(), signal).catch((error: unknown) => error);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    expect(await outcome).toEqual(expected);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('isAbortSignal', () => {
  it.each([
    [new AbortController().signal, true],
    [{ addEventListener: () => undefined }, true],
    [{ addEventListener: true }, false],
    [undefined, false],
    [null, false],
    ['signal', false],
  ])('checks the shape: for %o it is %s', (value, expected) => {
    expect(isAbortSignal(value)).toBe(expected);
  });
});
