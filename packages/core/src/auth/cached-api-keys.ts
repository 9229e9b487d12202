import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/time-limit.js';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import { checkStoredKey } from './check-identity.js';

export interface CachedApiKeyStore {
  /** As in the store. A promise only where the store has to be asked. */
  findByHash(hash: string): ApiKey | undefined | ReturnType<ApiKeyStore['findByHash']>;
  /** What the last look-up of a key has found, however long ago; `undefined` for nothing, and for what is no longer remembered. */
  lastFound(hash: string): ApiKey | undefined;
  /** Whether `findByHash` asks no store. */
  remembers(hash: string): boolean;
  /** Forgets what is known of a key, found or not, so that the next request asks the store. */
  invalidate(hash: string): void;
}

export interface KeyCacheOptions {
  readonly maxKeys: number;
  /** Hard age of a cached key, counted from when the store was asked; use never extends it. 0 turns the cache off. */
  readonly maxAgeMs: number;
  /** Longest wait for the store. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Unknown tokens get a cache of their own, so that a flood of them cannot push known keys out. */
const MAX_UNKNOWN_KEYS = 1_000;
const UNKNOWN = Symbol('unknown key');
type Found = ApiKey | typeof UNKNOWN;

/**
 * Puts a short, bounded cache in front of a store. Requests for the same key that arrive together share one look-up; a look-up that was under way
 * when its key was invalidated is not remembered.
 */
export function cachedApiKeys(
  store: ApiKeyStore,
  { maxKeys, maxAgeMs, timeoutMs, clock }: KeyCacheOptions,
): CachedApiKeyStore {
  const limit = createTimeLimit(clock, timeoutMs);
  const timedOut = () => new Error(`the key store did not answer within ${timeoutMs} ms`);
  const find = async (hash: string) => checkStoredKey(await store.findByHash(hash));
  const ask = (hash: string) => limit.run(() => find(hash), timedOut);
  if (maxAgeMs === 0)
    return { findByHash: ask, lastFound: () => undefined, remembers: () => false, invalidate: () => undefined };
  const age = { ttl: maxAgeMs, ttlResolution: 0, perf: { now: () => clock.monotonic() } };
  // What is too old stays to be seen by `lastFound`, until there is no room for it.
  // A size of one each, and not `max`: with that the cache would take all of its memory now, which slows the start.
  const known = new LRUCache<string, ApiKey>({
    maxSize: maxKeys,
    sizeCalculation: () => 1,
    noDeleteOnStaleGet: true,
    ...age,
  });
  const unknown = new LRUCache<string, typeof UNKNOWN>({ max: MAX_UNKNOWN_KEYS, ...age });
  const lookups = new Map<string, Promise<ApiKey | undefined>>();

  function cached(hash: string): Found | undefined {
    return known.get(hash) ?? unknown.get(hash);
  }

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
      const found = cached(hash);
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
