import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createExpiryQueue, type Expiring } from './expiry-queue.js';

const itemAt = (expiresAtMs: number): Expiring => ({ expiresAtMs, queueIndex: -1 });

function drain(queue: ReturnType<typeof createExpiryQueue>): number[] {
  const times: number[] = [];
  for (let item = queue.peek(); item !== undefined; item = queue.peek()) {
    times.push(item.expiresAtMs);
    queue.remove(item);
  }
  return times;
}

describe('createExpiryQueue', () => {
  it('returns items by expiry, also after removals', () => {
    const times = fc.array(fc.nat(20), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.boolean()), (added, removals) => {
        const queue = createExpiryQueue();
        const items = added.map(itemAt);
        for (const item of items) queue.add(item);
        const kept = items.filter((item) => {
          const removed = removals.next().value === true;
          if (removed) queue.remove(item);
          return !removed;
        });
        expect(drain(queue)).toEqual(kept.map(({ expiresAtMs }) => expiresAtMs).sort((a, b) => a - b));
      }),
    );
  });

  it('returns undefined when empty', () => {
    expect(createExpiryQueue().peek()).toBeUndefined();
  });

  it('tells whether the removed item was in the queue', () => {
    const queue = createExpiryQueue();
    const item = itemAt(5);
    expect(queue.remove(item)).toBe(false);
    queue.add(item);
    queue.add(itemAt(7));
    expect(queue.remove(item)).toBe(true);
    expect(queue.remove(item)).toBe(false);
    expect(drain(queue)).toEqual([7]);
  });
});
