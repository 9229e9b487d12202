/** A map that forgets: it keeps at least its newest `capacity` entries, and at most twice as many. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  /** Adds a key, or replaces the value of one, which counts as new again. */
  set(key: string, value: V): void;
}

/**
 * Two generations: when the young one is full, it becomes the old one and the old one is dropped as a whole. That costs half as much
 * as removing the oldest entry for every new one.
 */
export function createRecentMap<V>(capacity: number): RecentMap<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  return {
    get: (key) => young.get(key) ?? old.get(key),
    set(key, value) {
      if (young.size >= capacity) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
    },
  };
}
