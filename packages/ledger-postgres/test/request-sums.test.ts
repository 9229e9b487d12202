import type { LoggedRequest, RequestLog, StatisticsQuery } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import { FIRST_MS, fillTables } from './filled-tables.js';
import { migratedDatabase } from './migrated-database.js';
import { ALL_SUMS, LOGGED } from './requests.js';

const database = migratedDatabase();
const log = () => database().ledger().requests;

const rowsOf = (from: number, to: number, change: Partial<LoggedRequest> = {}): LoggedRequest[] =>
  Array.from({ length: to - from }, (_, at) => ({ ...LOGGED, requestId: `req_${from + at}`, ...change }));

const ALL: StatisticsQuery = { of: 'calls', step: 'day', by: [], sinceMs: 0, untilMs: Date.now() + 1 };
const countOf = async (requests: RequestLog, query: Partial<StatisticsQuery> = {}) =>
  (await requests.statistics({ ...ALL, ...query }))[0]?.count ?? 0;

it('counts each call once, whoever writes it at the same time', async () => {
  const processes = [log(), database().ledger({ pool: database().otherPool() }).requests];
  const batches = Array.from({ length: 24 }, (_, at) => rowsOf(at * 10, at * 10 + 30));
  await Promise.all(batches.flatMap((rows) => processes.map((each) => each.append(rows))));
  for (const step of ['hour', 'day'] as const) expect(await countOf(log(), { step })).toBe(260);
});

it('keeps a call and its part of the sums, or neither', async () => {
  await database().run("ALTER TABLE searchgate.pending_sums ADD CONSTRAINT none CHECK (sums NOT LIKE '%refused%')");
  await log().append(rowsOf(0, 2));
  await expect(log().append(rowsOf(2, 4, { model: 'refused' }))).rejects.toThrow('none');
  await database().run('ALTER TABLE searchgate.pending_sums DROP CONSTRAINT none');
  expect((await log().find({}, { limit: 10 })).rows).toHaveLength(2);
  expect(await countOf(log())).toBe(2);
});

const pending = async () => (await database().run('SELECT FROM searchgate.pending_sums')).length;

it('merges the sums of many batches, by two processes at once, and after a merge that failed', async () => {
  const processes = [log(), database().ledger({ pool: database().otherPool() }).requests];
  const batchOf = (at: number) => rowsOf(at, at + 2, { organizationId: `org-${at % 7}`, model: `model-${at % 30}` });
  const write = (from: number, to: number) =>
    Promise.all(
      processes.map(async (each, process) => {
        for (let at = from; at < to; at += 1) await each.append(batchOf(4 * at + 2 * process));
      }),
    );
  await database().run("ALTER TABLE searchgate.request_sums ADD CONSTRAINT none CHECK (organization_id <> 'org-3')");
  await write(0, 60);
  await expect(log().prune({ ...ALL_SUMS, beforeMs: 0, maxRows: 1_000 })).rejects.toThrow('none');
  expect(await pending()).toBe(120);
  for (const step of ['hour', 'day'] as const) expect(await countOf(log(), { step })).toBe(240);
  await database().run('ALTER TABLE searchgate.request_sums DROP CONSTRAINT none');
  await write(60, 120);
  expect(await pending()).toBeLessThan(50);
  for (const step of ['hour', 'day'] as const) expect(await countOf(log(), { step })).toBe(480);
  const [sum] = await log().statistics({ ...ALL, by: ['model'], organizations: ['org-4'] });
  await log().prune({ ...ALL_SUMS, beforeMs: 0, maxRows: 1_000 });
  expect(await pending()).toBe(0);
  expect(await log().statistics({ ...ALL, by: ['model'], organizations: ['org-4'] })).toContainEqual(sum);
  await log().append(batchOf(3_000));
  await log().erase(`org-${3_000 % 7}`);
  expect(await countOf(log(), { organizations: [`org-${3_000 % 7}`] })).toBe(0);
});

it('adds amounts above 64 bits, of models with long names', async () => {
  const names = ['a', 'b'].map((end) => `exa/${'x'.repeat(3_000)}${end}`);
  for (const [at, model] of names.entries()) await log().append(rowsOf(at * 4, at * 4 + 4, { model, cost: 2n ** 62n }));
  const sums = await log().statistics({ ...ALL, by: ['model'] });
  expect(new Map(sums.map(({ model, cost }) => [model, cost]))).toEqual(
    new Map(names.map((model) => [model, 2n ** 64n])),
  );
});

it('removes many sums in parts, those of hours and of days by their own times', async () => {
  await fillTables(database(), { from: 1, to: 6_000 });
  const prune = { ...ALL_SUMS, beforeMs: 0, maxRows: 6_000 };
  const sumsBeforeMs = { hour: FIRST_MS + 5_001, day: FIRST_MS + 11 };
  const counts = await Promise.all([1, 2, 3].map(() => log().prune({ ...prune, sumsBeforeMs })));
  for (let removed = -1; removed !== 0; counts.push(removed)) removed = await log().prune({ ...prune, sumsBeforeMs });
  expect(Math.max(...counts)).toBeLessThanOrEqual(2_000);
  const left = `SELECT step, count(*)::int4 AS sums, min(at_ms)::int4 - ${FIRST_MS} AS first FROM searchgate.request_sums GROUP BY step ORDER BY step`;
  expect(await database().run(left)).toEqual([
    { step: 'day', sums: 2_995, first: 11 },
    { step: 'hour', sums: 500, first: 5_001 },
  ]);
  const whose = { sinceMs: FIRST_MS, organizations: ['large'] };
  expect(await countOf(log(), whose)).toBeGreaterThan(1_000);
  await log().erase('large');
  expect(await countOf(log(), whose)).toBe(0);
  expect(await countOf(log(), { sinceMs: FIRST_MS })).toBeGreaterThan(100);
});

it('finds what is rare behind more calls than a page reads', async () => {
  await fillTables(database(), { from: 1, to: 12_000 });
  const found: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await log().find({ tag: 'rare', untilMs: FIRST_MS + 11_999 }, { limit: 20, cursor });
    found.push(page.rows.length);
    cursor = page.nextCursor;
  }
  expect(found).toEqual([10, 1]);
});

it('gives the 10,000 sums with the highest counts, those first', async () => {
  await database().run(`INSERT INTO searchgate.request_sums
    SELECT 'calls', 'day', 0, 'answer', 'org-' || n, '', '', 'answered', n, 0, 0, array_fill(n::int8, ARRAY[17]) FROM generate_series(1, 10001) n`);
  const sums = await log().statistics({ ...ALL, by: ['organizationId'] });
  expect(sums.map(({ count }) => count)).toEqual(Array.from({ length: 10_000 }, (_, at) => 10_001 - at));
});
