import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from './api-key.js';
import { cachedApiKeys } from './cached-api-keys.js';
import { apiKeyOf } from './check-identity.js';

const KEY = apiKeyOf({ id: 'key', organizationId: 'acme' });

function start(found: ApiKey | undefined, maxAgeMs = 5_000) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const pending: (() => void)[] = [];
  const state = { found, manual: false };
  const store = cachedApiKeys(
    {
      findByHash(hash) {
        asked.push(hash);
        const answer = state.found;
        return state.manual ? new Promise((resolve) => pending.push(() => resolve(answer))) : Promise.resolve(answer);
      },
    },
    { maxKeys: 2, maxAgeMs, timeoutMs: 10_000, clock },
  );
  return { clock, asked, store, state, pending };
}

const FOUND = [
  ['a known key', KEY],
  ['an unknown key', undefined],
] as const;

describe('cachedApiKeys', () => {
  it.each(FOUND)('asks the store once for %s while it is fresh', async (_name, found) => {
    const { store, asked } = start(found);
    expect([await store.findByHash('h'), await store.findByHash('h')]).toEqual([found, found]);
    expect(asked).toEqual(['h']);
  });

  it('asks again after the hard age, which use does not extend', async () => {
    const { store, asked, clock } = start(KEY);
    await store.findByHash('h');
    await clock.advance(3_000);
    await store.findByHash('h');
    await clock.advance(2_001);
    await store.findByHash('h');
    expect(asked).toEqual(['h', 'h']);
  });

  it.each(FOUND)('counts the age of %s from when the store was asked, not answered', async (_name, found) => {
    const { store, asked, clock, state, pending } = start(found);
    state.manual = true;
    const slow = store.findByHash('h');
    await clock.advance(4_000);
    pending[0]?.();
    await slow;
    await clock.advance(1_001);
    state.manual = false;
    await store.findByHash('h');
    expect(asked).toEqual(['h', 'h']);
  });

  it.each(FOUND)('asks for %s again at once after an invalidation', async (_name, found) => {
    const { store, asked } = start(found);
    await store.findByHash('h');
    store.invalidate('h');
    await store.findByHash('h');
    expect(asked).toEqual(['h', 'h']);
  });

  it('does not cache a look-up that was running when its key was invalidated', async () => {
    const { store, state, pending } = start(KEY);
    state.manual = true;
    const old = store.findByHash('h');
    store.invalidate('h');
    state.manual = false;
    state.found = undefined;
    expect(await store.findByHash('h')).toBeUndefined();
    pending[0]?.();
    expect(await old).toEqual(KEY);
    expect(await store.findByHash('h')).toBeUndefined();
  });

  it('shares the look-up after an invalidation, also if the look-up before ends first', async () => {
    const { store, asked, state, pending } = start(KEY);
    state.manual = true;
    const old = store.findByHash('h');
    store.invalidate('h');
    const fresh = store.findByHash('h');
    pending[0]?.();
    await old;
    const shared = store.findByHash('h');
    pending[1]?.();
    expect([await fresh, await shared]).toEqual([KEY, KEY]);
    expect(asked).toEqual(['h', 'h']);
  });

  it('shares one look-up between requests that arrive together', async () => {
    const { store, asked } = start(KEY);
    await Promise.all([store.findByHash('h'), store.findByHash('h'), store.findByHash('h')]);
    expect(asked).toEqual(['h']);
  });

  it('does not remember a failure', async () => {
    const answers: Promise<ApiKey>[] = [Promise.reject(new Error('down')), Promise.resolve(KEY)];
    const store = { findByHash: () => answers.shift() ?? Promise.resolve(undefined) };
    const failing = cachedApiKeys(store, { maxKeys: 1, maxAgeMs: 5_000, timeoutMs: 10_000, clock: createFakeClock() });
    await expect(failing.findByHash('h')).rejects.toThrow('down');
    expect(await failing.findByHash('h')).toEqual(KEY);
  });

  it('stops waiting for a store that does not answer, and asks the store again the next time', async () => {
    const { store, state, clock, asked } = start(KEY);
    state.manual = true;
    const refused = Promise.resolve(store.findByHash('h')).catch((error: unknown) => error);
    await clock.advance(10_000);
    expect(await refused).toEqual(new Error('the key store did not answer within 10000 ms'));
    state.manual = false;
    expect(await store.findByHash('h')).toEqual(KEY);
    expect(asked).toEqual(['h', 'h']);
  });

  it.each([5_000, 0])('rejects if a store throws instead, with an age of %i', async (maxAgeMs) => {
    const throwing = {
      findByHash: () => {
        throw new Error('thrown');
      },
    };
    const store = cachedApiKeys(throwing, { maxKeys: 1, maxAgeMs, timeoutMs: 10_000, clock: createFakeClock() });
    await expect(store.findByHash('h')).rejects.toThrow('thrown');
  });

  it('keeps at most the given number of keys', async () => {
    const { store, asked } = start(KEY);
    for (const hash of ['a', 'b', 'c', 'a']) await store.findByHash(hash);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });

  it('is off with an age of 0', async () => {
    const { store, asked } = start(KEY, 0);
    await store.findByHash('h');
    await store.findByHash('h');
    expect(asked).toEqual(['h', 'h']);
  });

  it('still returns the key found last after its maximum age', async () => {
    const { store, asked, clock, state } = start(KEY);
    expect(store.lastFound('h')).toBeUndefined();
    await store.findByHash('h');
    await clock.advance(60_000);
    expect(store.lastFound('h')).toEqual(KEY);
    expect(asked).toEqual(['h']);
    state.found = undefined;
    expect(await store.findByHash('h')).toBeUndefined();
    expect(store.lastFound('h')).toBeUndefined();
  });

  it('returns no last found key after an invalidation or an eviction', async () => {
    const { store } = start(KEY);
    for (const hash of ['a', 'b', 'c']) await store.findByHash(hash);
    store.invalidate('b');
    expect(['a', 'b', 'c'].map((hash) => store.lastFound(hash) !== undefined)).toEqual([false, false, true]);
    expect(start(KEY, 0).store.lastFound('a')).toBeUndefined();
  });
});
