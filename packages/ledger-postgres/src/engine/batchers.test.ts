import { expect, it } from 'vitest';
import { createBatchers } from './batchers.js';

const never = () => false;

it('gives a route always the same batcher, and spreads routes over all batchers', async () => {
  const batches: string[][] = [];
  const send = async (operations: readonly string[]) => {
    batches.push([...operations]);
    return operations;
  };
  const batchers = createBatchers(send, { count: 4, maxBatch: 1_000, isTransient: never });
  const routes = Array.from({ length: 400 }, (_, index) => `organization-${index}`);
  await Promise.all([...routes, ...routes].map((route) => batchers.submit(route, route)));
  // The first operation of each batcher is sent alone, all others in the batch after it.
  expect(batches).toHaveLength(8);
  const [alone, together] = [batches.filter(({ length }) => length === 1), batches.filter(({ length }) => length > 1)];
  expect(alone).toHaveLength(4);
  for (const batch of together) expect(batch.length).toBeGreaterThan(100);
  const batchersOf = (route: string) => together.filter((batch) => batch.includes(route)).length;
  expect(routes.filter((route) => batchersOf(route) !== 1)).toEqual([]);
});
