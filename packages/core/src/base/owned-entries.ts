export interface OwnedEntriesOptions {
  readonly maxEntries?: number;
  readonly maxBytes?: number;
}

interface Owner {
  readonly id: string;
  /** Oldest first. */
  readonly names: Set<string>;
  bytes: number;
}

interface Entry<V> {
  readonly value: V;
  readonly owner: Owner;
  readonly bytes: number;
}

/** Entries in memory, bounded in number and bytes. Beyond a bound, the owner with the most loses its oldest entry, so an owner below an even share loses none. */
export function createOwnedEntries<V>({
  maxEntries = Number.POSITIVE_INFINITY,
  maxBytes = Number.POSITIVE_INFINITY,
}: OwnedEntriesOptions = {}) {
  /** In order of `set`. */
  const entries = new Map<string, Entry<V>>();
  /** Owners with entries. */
  const owners = new Map<string, Owner>();
  let bytes = 0;

  function remove(name: string): void {
    const entry = entries.get(name);
    if (entry === undefined) return;
    const { owner } = entry;
    entries.delete(name);
    owner.names.delete(name);
    owner.bytes -= entry.bytes;
    bytes -= entry.bytes;
    if (owner.names.size === 0) owners.delete(owner.id);
  }

  function removeOldestOfLargest(sizeOf: (owner: Owner) => number): void {
    let largest: Owner | undefined;
    for (const owner of owners.values()) if (largest === undefined || sizeOf(owner) > sizeOf(largest)) largest = owner;
    const [oldest] = largest?.names ?? [];
    if (oldest !== undefined) remove(oldest);
  }

  function cut(most: number): number {
    const before = entries.size;
    while (entries.size > most) removeOldestOfLargest(({ names }) => names.size);
    return before - entries.size;
  }

  return {
    get size() {
      return entries.size;
    },
    peek: (name: string) => entries.get(name)?.value,
    /** Returns the value, and makes the entry the newest of its owner. */
    use(name: string): V | undefined {
      const entry = entries.get(name);
      entry?.owner.names.delete(name);
      entry?.owner.names.add(name);
      return entry?.value;
    },
    /** @returns `false` for an entry larger than `maxBytes`, which is not stored; the entry before is removed anyway. */
    set(
      name: string,
      value: V,
      { owner: id, bytes: size = 0 }: { readonly owner: string; readonly bytes?: number },
    ): boolean {
      remove(name);
      if (size > maxBytes) return false;
      const owner = owners.get(id) ?? { id, names: new Set(), bytes: 0 };
      owners.set(id, owner);
      entries.set(name, { value, owner, bytes: size });
      owner.names.add(name);
      owner.bytes += size;
      bytes += size;
      cut(maxEntries);
      while (bytes > maxBytes) removeOldestOfLargest((each) => each.bytes);
      return entries.has(name);
    },
    delete: remove,
    /** Removes the entries beyond another number. @returns how many. */
    cut,
    /** Removes all entries of an owner. @returns their names. */
    deleteOf(owner: string): readonly string[] {
      const names = [...(owners.get(owner)?.names ?? [])];
      for (const name of names) remove(name);
      return names;
    },
    *[Symbol.iterator]() {
      for (const [name, { value }] of entries) yield [name, value] as const;
    },
  };
}
