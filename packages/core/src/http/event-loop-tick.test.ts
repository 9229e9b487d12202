import { describe, expect, it } from 'vitest';
import { eventLoopTick } from './event-loop-tick.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('have one number for all callers in the same turn, even after a promise', async () => {
    const turn = eventLoopTick();
    const first = turn();
    await Promise.resolve();
    expect(turn()).toBe(first);
  });

  it('have different numbers', async () => {
    const turn = eventLoopTick();
    const numbers = [turn()];
    await nextTurn();
    numbers.push(turn());
    await nextTurn();
    numbers.push(turn(), turn());
    expect(numbers).toEqual([1, 2, 3, 3]);
  });
});
