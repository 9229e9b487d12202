import { expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.js';

it('runs a task once more after any number of calls during a run', async () => {
  const ends: (() => void)[] = [];
  const run = oneAtATime(() => new Promise((resolve) => ends.push(resolve)));
  run();
  for (let times = 0; times < 10; times += 1) run();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  run();
  expect(ends).toHaveLength(3);
});
