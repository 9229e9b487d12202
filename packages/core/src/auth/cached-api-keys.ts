import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/deadline.js';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import { checkStoredKey } from './check-identity.js';

export interface CachedApiKeyStore {
  /** As in the store. Returns a promise only if the store has to be asked. */
  findByHash(hash: string): ApiKey | undefined | ReturnType<ApiKeyStore['findByHash']>;
  /** The key found by the last look-up, however long ago; `undefined` for an unknown or no longer cached key. */
  lastFound(hash: string): ApiKey | undefined;
  /** Whether `findByHash` answers from the cache. */
  remembers(hash: string): boolean;
  /** Removes a known or unknown key from the cache, so that the next request asks the store. */
  invalidate(hash: string): void;
}

export interface KeyCacheOptions {
  readonly maxKeys: number;
  /** Maximum age of a cached key since the store was asked; use does not extend the age. 0 turns the cache off. */
  readonly maxAgeMs: number;
  /** Longest wait for the store. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called with the end of every look-up in the store: its error, or `null`. */
  readonly ended?: ((error: Error | null) => void) | undefined;
}

/** Unknown tokens have a separate cache, so that a flood of unknown tokens cannot evict known keys. */
const MAX_UNKNOWN_KEYS = 1_000;
const UNKNOWN = Symbol('unknown key');

/**
 * Puts a short, bounded cache in front of a store. Concurrent requests with the same key share one look-up. A look-up that is running when its key is
 * invalidated is not cached.
 */
export function cachedApiKeys(
  store: ApiKeyStore,
  { maxKeys, maxAgeMs, timeoutMs, clock, ended }: KeyCacheOptions,
): CachedApiKeyStore {
  const timedOut = () => new Error(`the key store did not answer within ${timeoutMs} ms`);
  const limit = createTimeLimit(clock, timeoutMs, { timedOut, ended });
  const find = async (hash: string) => store.findByHash(hash);
  const ask = async (hash: string) => checkStoredKey(await limit.wait(find(hash)));
  if (maxAgeMs === 0)
    return { findByHash: ask, lastFound: () => undefined, remembers: () => false, invalidate: () => undefined };
  const age = { ttl: maxAgeMs, ttlResolution: 0, perf: { now: () => clock.monotonic() } };
  // Expired keys stay for `lastFound` until the cache is full.
  // Each key has the size 1 instead of a `max` of keys, because with `max` the cache allocates all of its memory at once, which slows the start.
  const known = new LRUCache<string, ApiKey>({
    maxSize: maxKeys,
    sizeCalculation: () => 1,
    noDeleteOnStaleGet: true,
    ...age,
  });
  const unknown = new LRUCache<string, typeof UNKNOWN>({ max: MAX_UNKNOWN_KEYS, ...age });
  const lookups = new Map<string, Promise<ApiKey | undefined>>();

  function remember(hash: string, key: ApiKey | undefined, start: number): void {
    if (key !== undefined) {
      known.set(hash, key, { start });
      return;
    }
    known.delete(hash);
    unknown.set(hash, UNKNOWN, { start });
  }

  function lookUp(hash: string): Promise<ApiKey | undefined> {
    const start = clock.monotonic();
    const lookup: Promise<ApiKey | undefined> = ask(hash)
      .then((key) => {
        if (lookups.get(hash) === lookup) remember(hash, key, start);
        return key;
      })
      .finally(() => {
        if (lookups.get(hash) === lookup) lookups.delete(hash);
      });
    lookups.set(hash, lookup);
    return lookup;
  }

  return {
    findByHash(hash) {
      const found = known.get(hash) ?? unknown.get(hash);
      if (found !== undefined) return found === UNKNOWN ? undefined : found;
      return lookups.get(hash) ?? lookUp(hash);
    },
    remembers: (hash) => known.has(hash) || unknown.has(hash),
    lastFound: (hash) => known.peek(hash, { allowStale: true }),
    invalidate(hash) {
      known.delete(hash);
      unknown.delete(hash);
      lookups.delete(hash);
    },
  };
}
