/** Entries in memory, of which so many and so many bytes are kept. The owner of the most loses its own oldest ones first, so no owner of less than an even share loses any. */
export interface OwnedEntries<V> extends Iterable<readonly [name: string, value: V]> {
  peek(name: string): V | undefined;
  /** Gives it, and makes it the newest of its owner's. */
  use(name: string): V | undefined;
  /** @returns whether it is kept: one that is larger than all may be is not, and neither is its predecessor. */
  set(name: string, value: V, of: { readonly owner: string; readonly bytes: number }): boolean;
  delete(name: string): void;
}

export interface OwnedEntriesOptions {
  readonly maxEntries?: number;
  readonly maxBytes: number;
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

export function createOwnedEntries<V>({
  maxEntries = Number.POSITIVE_INFINITY,
  maxBytes,
}: OwnedEntriesOptions): OwnedEntries<V> {
  /** In the order they were set. */
  const entries = new Map<string, Entry<V>>();
  /** Only those that have any. */
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
    for (const owner of owners.values()) {
      if (largest === undefined || sizeOf(owner) > sizeOf(largest)) largest = owner;
    }
    for (const oldest of largest?.names ?? []) {
      remove(oldest);
      return;
    }
  }

  return {
    peek: (name) => entries.get(name)?.value,
    use(name) {
      const entry = entries.get(name);
      entry?.owner.names.delete(name);
      entry?.owner.names.add(name);
      return entry?.value;
    },
    set(name, value, of) {
      remove(name);
      if (of.bytes > maxBytes) return false;
      const owner = owners.get(of.owner) ?? { id: of.owner, names: new Set(), bytes: 0 };
      owners.set(of.owner, owner);
      entries.set(name, { value, owner, bytes: of.bytes });
      owner.names.add(name);
      owner.bytes += of.bytes;
      bytes += of.bytes;
      while (entries.size > maxEntries) removeOldestOfLargest(({ names }) => names.size);
      while (bytes > maxBytes) removeOldestOfLargest((each) => each.bytes);
      return entries.has(name);
    },
    delete: remove,
    *[Symbol.iterator]() {
      for (const [name, { value }] of entries) yield [name, value] as const;
    },
  };
}
