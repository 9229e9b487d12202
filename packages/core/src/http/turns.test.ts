import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('have one number for all callers in the same turn, even after a promise', async () => {
    const turn = createTurns();
    const first = turn();
    await Promise.resolve();
    expect(turn()).toBe(first);
  });

  it('have different numbers', async () => {
    const turn = createTurns();
    const numbers = [turn()];
    await nextTurn();
    numbers.push(turn());
    await nextTurn();
    numbers.push(turn(), turn());
    expect(numbers).toEqual([1, 2, 3, 3]);
  });
});
