import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createCallKeys } from './call-keys.js';

const apiCallError = (isRetryable: boolean) =>
  new APICallError({ message: 'Failed.', url: 'http://127.0.0.1', requestBodyValues: {}, isRetryable });

/** Keys on a clock that the test sets. */
function keysAt() {
  const clock = { ms: 0 };
  return { clock, keys: createCallKeys(() => clock.ms) };
}

describe('the key of a try', () => {
  it('is new for each call', () => {
    const { keys } = keysAt();
    expect(keys.take('a')).not.toBe(keys.take('a'));
  });

  it('is the key of the failed try that it repeats', () => {
    const { keys } = keysAt();
    const key = keys.take('a');
    keys.leave('a', key, apiCallError(true));
    expect(keys.take('b')).not.toBe(key);
    expect(keys.take('a')).toBe(key);
    expect(keys.take('a')).not.toBe(key);
  });

  it.each([
    ['an error that no repetition helps', apiCallError(false)],
    ['an abort', new DOMException('aborted', 'AbortError')],
  ])('is not kept after %s', (_name, error) => {
    const { keys } = keysAt();
    const key = keys.take('a');
    keys.leave('a', key, error);
    expect(keys.take('a')).not.toBe(key);
  });

  it('is used once for each of several failed parallel calls', () => {
    const { keys } = keysAt();
    const given = [keys.take('a'), keys.take('a'), keys.take('a')];
    for (const key of given) keys.leave('a', key, apiCallError(true));
    expect([keys.take('a'), keys.take('a'), keys.take('a')]).toEqual(given);
    expect(given).not.toContain(keys.take('a'));
  });

  it('is kept for two minutes', () => {
    const { keys, clock } = keysAt();
    keys.leave('a', 'first', apiCallError(true));
    clock.ms = 119_999;
    expect(keys.take('a')).toBe('first');
    keys.leave('a', 'second', apiCallError(true));
    clock.ms += 120_000;
    expect(keys.take('a')).not.toBe('second');
  });

  it('is forgotten after a hundred newer keys', () => {
    const { keys } = keysAt();
    for (let index = 0; index <= 100; index += 1) keys.leave(`${index}`, `key ${index}`, apiCallError(true));
    expect(keys.take('0')).not.toBe('key 0');
    expect(keys.take('1')).toBe('key 1');
    expect(keys.take('100')).toBe('key 100');
  });
});
