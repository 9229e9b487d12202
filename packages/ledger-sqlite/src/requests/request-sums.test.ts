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
const KEEP_ALL = { beforeMs: 0, maxRows: 100_000, sumsBeforeMs: { hour: 0, day: 0 } };
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

it('adds up amounts beyond 64 bits', async () => {
  const cost = 2n ** 63n - 5n;
  for (const [id, change] of Object.entries({ a: {}, b: {}, c: { model: 'other' } }))
    await ledger.requests.append([{ ...loggedOf(id), ...change, cost }]);
  const sums = await ledger.requests.statistics(ALL);
  expect(sums).toMatchObject([{ count: 3, cost: 3n * cost }]);
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
  while ((await ledger.requests.prune({ ...before, sumsBeforeMs: { hour: 0, day: NOW_MS } })) > 0);
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

/** How many texts the table has. */
function textsOf(table: 'pending' | 'merged'): number {
  const sql = `SELECT count(*) AS number FROM searchgate_${table}_request_sums`;
  return Number((storage.open().prepare(sql).get() as { number: unknown }).number);
}

it('merges the sums of many batches, by two processes at once, and of those of days too', async () => {
  const processes = [ledger, await storage.connect()];
  const callOf = (at: number) => ({
    ...loggedOf(`req_${at}`),
    atMs: NOW_MS - (at % 30) * 3_600_000,
    organizationId: `org-${at % 7}`,
    model: `model-${at % 50}`,
  });
  await Promise.all(
    processes.map(async ({ requests }, process) => {
      // Every third call comes twice.
      for (let at = 0; at < 450; at += 1) await requests.append([callOf(2 * at + process), callOf(3 * at)]);
    }),
  );
  const calls = new Set([...Array(900).keys(), ...Array.from({ length: 450 }, (_, at) => 3 * at)]).size;
  expect(textsOf('pending')).toBeLessThan(110);
  expect(textsOf('merged')).toBeGreaterThan(0);
  for (const step of ['hour', 'day'] as const) expect(await countOf({ step })).toBe(calls);
  expect(await ledger.requests.prune(KEEP_ALL)).toBe(0);
  expect(textsOf('pending')).toBe(0);
  for (const step of ['hour', 'day'] as const) expect(await countOf({ step })).toBe(calls);
  expect(await countOf({ organizationId: 'org-3' })).toBeGreaterThan(100);
  await ledger.requests.append([callOf(5_000)]);
  await ledger.requests.erase(callOf(5_000).organizationId);
  expect(await countOf({ organizationId: callOf(5_000).organizationId })).toBeUndefined();
});

it('counts each call once while a merge has stopped half-way, and keeps calls', async () => {
  const database = storage.open();
  const stopAt =
    "BEFORE INSERT ON searchgate_merged_request_sums WHEN new.organization_id = 'org-3' BEGIN SELECT raise(ABORT, 'full'); END";
  database.exec(`CREATE TRIGGER stop ${stopAt}`);
  const calls = Array.from({ length: 1_200 }, (_, at) => ({
    ...loggedOf(`req_${at}`),
    organizationId: `org-${at % 5}`,
    model: `m-${at}`,
  }));
  for (let at = 0; at < 1_200; at += 12) await ledger.requests.append(calls.slice(at, at + 12));
  await expect(ledger.requests.prune(KEEP_ALL)).rejects.toThrow('full');
  expect([textsOf('pending') > 0, textsOf('merged') > 0]).toEqual([true, true]);
  expect(await countOf()).toBe(1_200);
  await storage.connect();
  database.exec('DROP TRIGGER stop');
  await ledger.requests.prune(KEEP_ALL);
  expect(textsOf('pending')).toBe(0);
  expect(await countOf({ step: 'day' })).toBe(1_200);
});

it('keeps the sums of version 6', async () => {
  const other = createStorage();
  const database = other.open();
  migrate(createConnection(database), MIGRATIONS.slice(0, 6));
  const durations = Array.from({ length: 17 }, (_, place) => place);
  for (const step of ['hour', 'day'])
    database.exec(`INSERT INTO searchgate_request_sums VALUES
      ('calls', '${step}', ${NOW_MS - (NOW_MS % 3_600_000)}, 'busy', 'answer', 'm', '', 'cached', 2, 5, 1, ${durations.join()})`);
  const { requests } = await other.connect();
  await requests.append([loggedOf('a')]);
  const kept = { count: 2, cost: 5n, rescued: 1, model: 'm', outcome: 'cached', durations };
  for (const step of ['hour', 'day'] as const)
    expect(await requests.statistics({ ...ALL, step, by: ['model', 'outcome'] })).toMatchObject([kept, { count: 1 }]);
  await other.dispose();
});
