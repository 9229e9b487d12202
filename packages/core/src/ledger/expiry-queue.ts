/** An item that expires. `queueIndex` is the item's index in the queue, or -1; only the queue changes it. */
export interface Expiring {
  readonly expiresAtMs: number;
  queueIndex: number;
}

/** Items by expiry, earliest first. Optimized for removal, because nearly every hold ends long before it expires. */
export type ExpiryQueue<T extends Expiring> = ReturnType<typeof createExpiryQueue<T>>;

/** A binary heap whose items know their index, so that removal needs no search: O(log n) for n open items, and no memory for ended items. */
export function createExpiryQueue<T extends Expiring>() {
  const heap: T[] = [];

  function place(item: T, index: number): void {
    heap[index] = item;
    item.queueIndex = index;
  }

  function siftUp(item: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || parent.expiresAtMs <= item.expiresAtMs) break;
      place(parent, index);
      index = parentIndex;
    }
    place(item, index);
  }

  function siftDown(item: T, from: number): void {
    let index = from;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right !== undefined && left !== undefined && right.expiresAtMs < left.expiresAtMs ? right : left;
      if (child === undefined || child.expiresAtMs >= item.expiresAtMs) break;
      const childIndex = child.queueIndex;
      place(child, index);
      index = childIndex;
    }
    place(item, index);
  }

  return {
    add(item: T): void {
      siftUp(item, heap.length);
    },
    /** @returns whether the item was in the queue. */
    remove(item: T): boolean {
      const index = item.queueIndex;
      if (index === -1) return false;
      item.queueIndex = -1;
      const last = heap.pop();
      if (last === undefined || last === item) return true;
      siftDown(last, index);
      if (last.queueIndex === index) siftUp(last, index);
      return true;
    },
    /** The item that expires first. */
    peek: () => heap[0],
  };
}
