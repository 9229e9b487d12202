import type { StatisticsQuery } from '@searchgate/core/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loggedOf, NOW_MS } from '../../test/every-operation.js';
import { fillLedger } from '../../test/fill-ledger.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { createConnection } from '../engine/connection.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';
import { migrate } from '../schema/migrate.js';
import { MIGRATIONS } from '../schema/migrations.js';

const ALL: StatisticsQuery = { of: 'calls', step: 'hour', sinceMs: 0, untilMs: NOW_MS + 1, by: [] };
/** Of a package of version 5. */
const ROW_OF_5 = `INSERT INTO searchgate_requests (request_id, at_ms, endpoint, key_id, organization_id, status, stream, loss, duration_ms, upstream_ms, attempts)
  VALUES ('req_5', ${NOW_MS}, 'answer', 'busy', 'busy', 200, 0, 0, 1, 1, '[{"provider":"exa","model":"exa/answer","outcome":"answered","durationMs":1,"cost":"7"}]')`;

let storage: Storage;
let ledger: SqliteLedger;
beforeEach(async () => {
  storage = createStorage();
  ledger = await storage.connect();
});
afterEach(() => storage.dispose());

async function countOf(query: Partial<StatisticsQuery> = {}): Promise<number | undefined> {
  const [sum] = await ledger.requests.statistics({ ...ALL, ...query });
  return sum?.count;
}

it('reads calls that a package of version 5 wrote, before and after the migration', async () => {
  const other = createStorage();
  const database = other.open();
  migrate(createConnection(database), MIGRATIONS.slice(0, 5));
  database.exec(ROW_OF_5);
  const migrated = sqliteLedger({ database });
  await migrated.migrate();
  storage.open().exec(ROW_OF_5);
  for (const { requests } of [migrated, ledger]) {
    const attempts = [{ cost: 7n, phase: null, upstreamStatus: null, code: null }];
    const without = { cause: null, attempted: [], attemptCount: 0, rescued: false, attempts };
    expect(await requests.get('req_5')).toMatchObject(without);
    expect((await requests.find({ rescued: false }, { limit: 1 })).rows).toHaveLength(1);
    expect((await requests.find({ minAttempts: 1 }, { limit: 1 })).rows).toEqual([]);
  }
  await other.dispose();
});

it('adds up amounts beyond 64 bits, one group up to the largest', async () => {
  const cost = 2n ** 63n - 5n;
  for (const [id, change] of Object.entries({ a: {}, b: {}, c: { model: 'other' } }))
    await ledger.requests.append([{ ...loggedOf(id), ...change, cost }]);
  const sums = await ledger.requests.statistics(ALL);
  expect(sums).toMatchObject([{ count: 3, cost: 2n ** 63n - 1n + cost }]);
});

it('adds nothing where the calls are not kept', async () => {
  const refused = ledger.requests.append([loggedOf('a'), { ...loggedOf('b'), loss: 2n ** 64n }]);
  expect(await refused.catch(() => 'refused')).toBe('refused');
  expect(await ledger.requests.get('a')).toBeUndefined();
  expect(await countOf()).toBeUndefined();
});

it('adds up, removes and erases more than one slice', async () => {
  fillLedger(storage.open(), 5_000, NOW_MS);
  expect(await countOf()).toBe(5_000);
  expect(await countOf({ organizations: ['busy-1'] })).toBe(1_250);
  expect(await countOf({ organizations: ['busy-1', 'busy-2'], model: 'exa/1' })).toBe(250);
  const groups = await ledger.requests.statistics({ ...ALL, by: ['atMs', 'model'] });
  expect(new Set(groups.map(({ count }) => count))).toEqual(new Set([1]));
  expect(groups).toHaveLength(5_000);
  await ledger.requests.erase('busy-1');
  expect(await countOf()).toBe(3_750);
  const limits = { beforeMs: 0, maxRows: 5_000, sumsBeforeMs: { hour: NOW_MS - 1_000 * 3_600_000, day: 0 } };
  expect(await ledger.requests.prune(limits)).toBe(0);
  const before = { ...limits, sumsBeforeMs: { hour: NOW_MS - 100 * 3_600_000, day: 0 } };
  expect(await ledger.requests.prune(before)).toBe(250);
  while ((await ledger.requests.prune(before)) > 0);
  const hours = await ledger.requests.statistics({ ...ALL, by: ['atMs'] });
  expect(Math.min(...hours.map(({ atMs = 0 }) => atMs))).toBeGreaterThanOrEqual(before.sumsBeforeMs.hour);
  await ledger.requests.append([loggedOf('a')]);
  expect(await countOf({ step: 'day' })).toBe(1);
  await ledger.requests.prune({ ...before, sumsBeforeMs: { hour: 0, day: NOW_MS } });
  expect(await countOf({ step: 'day' })).toBeUndefined();
});

it('gives the 10,000 rows with the highest counts', async () => {
  fillLedger(storage.open(), 12_000, NOW_MS);
  const often = { ...loggedOf('a'), model: 'often' };
  await ledger.requests.append([often, { ...often, requestId: 'b' }]);
  const rows = await ledger.requests.statistics({ ...ALL, by: ['model', 'atMs'] });
  expect(rows).toHaveLength(10_000);
  expect(rows[0]).toMatchObject({ model: 'often', count: 2 });
});
