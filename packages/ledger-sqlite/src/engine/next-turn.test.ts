import { expect, it } from 'vitest';
import { NOW_MS } from '../../test/every-operation.js';
import { fillLedger } from '../../test/fill-ledger.js';
import { createStorage } from '../../test/storage.js';
import { nextTurn } from './next-turn.js';

/** Counts turns of the event loop while others work. */
async function turnsWhile(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

it('lets one of many readers continue in a turn', async () => {
  const readers = Array.from({ length: 20 }, () => nextTurn());
  expect(await turnsWhile(() => Promise.all(readers))).toBeGreaterThanOrEqual(20);
});

it('counts minutes in as many turns as there are pages', async () => {
  const storage = createStorage();
  const { requests } = await storage.connect();
  fillLedger(storage.open(), 5_000, NOW_MS);
  const query = { of: 'calls', step: 'minute', sinceMs: NOW_MS - 60_000, untilMs: NOW_MS + 1, by: [] } as const;
  expect(await turnsWhile(() => requests.statistics(query))).toBeGreaterThanOrEqual(5);
  await storage.dispose();
});
