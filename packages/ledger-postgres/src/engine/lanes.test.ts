import { expect, it } from 'vitest';
import { createLanes } from './lanes.js';

const never = () => false;

it('gives a route always the same lane, and spreads routes over all lanes', async () => {
  const batches: string[][] = [];
  const send = async (verbs: readonly string[]) => {
    batches.push([...verbs]);
    return verbs;
  };
  const lanes = createLanes(send, { count: 4, maxBatch: 1_000, mayPass: never });
  const routes = Array.from({ length: 400 }, (_, index) => `organization-${index}`);
  await Promise.all([...routes, ...routes].map((route) => lanes.submit(route, route)));
  await lanes.idle();
  // The first verb of each lane travels alone, all others in the batch after it.
  expect(batches).toHaveLength(8);
  const [alone, together] = [batches.filter(({ length }) => length === 1), batches.filter(({ length }) => length > 1)];
  expect(alone).toHaveLength(4);
  for (const batch of together) expect(batch.length).toBeGreaterThan(100);
  const lanesOf = (route: string) => together.filter((batch) => batch.includes(route)).length;
  expect(routes.filter((route) => lanesOf(route) !== 1)).toEqual([]);
});
