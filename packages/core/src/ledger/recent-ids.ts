/** The newest ids, as many as its capacity. */
export interface RecentIds {
  /** @param id a new one. @returns the oldest, where it has to give way. */
  add(id: string): string | undefined;
}

export function createRecentIds(capacity: number): RecentIds {
  const ring: string[] = [];
  let added = 0;

  return {
    add(id) {
      const slot = added % capacity;
      const oldest = ring[slot];
      ring[slot] = id;
      added += 1;
      return oldest;
    },
  };
}
