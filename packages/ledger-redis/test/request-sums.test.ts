import type { LoggedRequest, StatisticsQuery } from '@searchgate/core/ledger';
import { expect, test } from 'vitest';
import { openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

const HOUR_MS = 3_600_000;
const START_MS = 1_000 * HOUR_MS;
const ALL: StatisticsQuery = { of: 'calls', step: 'hour', sinceMs: 0, untilMs: 2 * START_MS, by: [] };

function callOf(requestId: string, changes: Partial<LoggedRequest> = {}): LoggedRequest {
  const ended = { atMs: START_MS, endpoint: 'answer', status: 200, reason: null, stream: false, cache: null } as const;
  const owner = { keyId: 'key-1', organizationId: 'acme', tag: null, budgets: [], byok: false };
  const asked = {
    modelAsked: null,
    model: 'exa/answer',
    provider: 'exa',
    attempted: [],
    attemptCount: 0,
    attempts: [],
  };
  const money = { cost: 1n, upstreamCost: null, loss: 0n };
  const times = { durationMs: 1, upstreamMs: 1, firstPartMs: null };
  return {
    requestId,
    answerId: null,
    ...ended,
    ...owner,
    ...asked,
    ...money,
    ...times,
    cause: null,
    rescued: false,
    ...changes,
  };
}

const callsOf = (count: number, change: (at: number) => Partial<LoggedRequest>) =>
  Array.from({ length: count }, (_, at) => callOf(`req_${at}`, change(at)));

const KEEP_ALL = { beforeMs: 0, maxRows: 50_000, sumsBeforeMs: { hour: 0, day: 0 } };

/** The names of sums, hours before days. */
const PLANT = `
for at = 1, tonumber(ARGV[1]) do
  local name = string.format('%d %016.0f calls\\n\\n\\n\\n\\n', at % 2 + 1, at)
  redis.call('ZADD', KEYS[1], 0, name)
  redis.call('HSET', KEYS[2], name, '1')
end`;

test.skipIf(server === undefined)(`calls that come in several appends at once are added up once${suffix}`, async () => {
  const { ledger } = await openLedger(server?.url ?? '');
  const calls = callsOf(60, () => ({}));
  const twice = [...calls.slice(0, 30), ...calls.slice(0, 30).map((call) => ({ ...call, cost: 100n }))];
  const parts = [twice, calls.slice(10, 50), calls, calls.slice(59), []];
  await Promise.all([...parts, ...parts].map((part) => ledger.requests.append(part)));
  expect(await ledger.requests.statistics(ALL)).toMatchObject([{ count: 60, cost: 60n }]);
});

test.skipIf(server === undefined)(`sums of many appends are merged by two processes at once${suffix}`, async () => {
  const { ledger, prefix, command } = await openLedger(server?.url ?? '');
  const other = await openLedger(server?.url ?? '', { prefix });
  const change = (at: number) => ({
    model: `m/${at % 90}`,
    atMs: START_MS + (at % 30) * HOUR_MS,
    organizationId: `org-${at % 3}`,
  });
  const calls = callsOf(600, change);
  const texts = async () => Number(await command('LLEN', `{${prefix}}:request-sum-texts`)) - 1;
  await Promise.all(calls.map((call, at) => (at % 2 === 0 ? ledger : other.ledger).requests.append([call])));
  expect(await texts()).toBeLessThan(300);
  const counts = async (query: Partial<StatisticsQuery>) =>
    (await other.ledger.requests.statistics({ ...ALL, ...query }))[0]?.count;
  expect([await counts({}), await counts({ step: 'day' })]).toEqual([600, 600]);
  await Promise.all([ledger, other.ledger].map(({ requests }) => requests.prune(KEEP_ALL)));
  expect(await texts()).toBe(0);
  expect([await counts({}), await counts({ step: 'day' })]).toEqual([600, 600]);
  await ledger.requests.append([callOf('last', { organizationId: 'org-1' })]);
  await ledger.requests.erase('org-1');
  expect([await counts({}), await counts({ organizationId: 'org-1' })]).toEqual([400, undefined]);
});

test.skipIf(server === undefined)(`amounts are added up beyond 64 bits${suffix}`, async () => {
  const { ledger } = await openLedger(server?.url ?? '');
  const costs = [2n ** 63n - 1n, 999_999_999_999_999n, 2n ** 63n - 1n, 7n, 0n];
  for (const [at, cost] of costs.entries()) await ledger.requests.append([callOf(`req_${at}`, { cost })]);
  const cost = costs.reduce((sum, each) => sum + each, 0n);
  expect(await ledger.requests.statistics(ALL)).toMatchObject([{ count: 5, cost }]);
});

test.skipIf(server === undefined)(`sums of several slices are read, erased and removed${suffix}`, async () => {
  const { ledger } = await openLedger(server?.url ?? '');
  const organizations = ['acme', 'acme\u{b}', 'b'];
  await ledger.requests.append(
    callsOf(1_200, (at) => ({
      model: `m/${at}`,
      organizationId: organizations[at % 3] ?? '',
      atMs: START_MS + at * HOUR_MS,
    })),
  );
  const { requests } = ledger;
  const countOf = async (query: Partial<StatisticsQuery>) =>
    (await requests.statistics({ ...ALL, ...query }))[0]?.count;
  const all = { untilMs: 9 * START_MS };
  expect(await countOf(all)).toBe(1_200);
  expect(await countOf({ ...all, step: 'day' })).toBe(1_200);
  expect(await countOf({ ...all, organizations: ['acme', 'b'] })).toBe(800);
  expect(await countOf({ ...all, organizations: [] })).toBeUndefined();
  expect(await countOf({ ...all, sinceMs: START_MS + 1, model: 'm/0' })).toBeUndefined();
  await requests.erase('acme');
  expect(await countOf(all)).toBe(800);
  expect(await countOf({ ...all, step: 'day' })).toBe(800);
  const limits = { beforeMs: 0, maxRows: 1_200, sumsBeforeMs: { hour: START_MS + 900 * HOUR_MS, day: 0 } };
  expect(await requests.prune(limits)).toBe(200);
  while ((await requests.prune(limits)) > 0);
  expect(await countOf(all)).toBe(200);
  expect(await countOf({ ...all, step: 'day' })).toBe(800);
  while ((await requests.prune({ ...limits, sumsBeforeMs: { hour: 0, day: START_MS + 900 * HOUR_MS } })) > 0);
  expect(await countOf({ ...all, step: 'day' })).toBeLessThan(220);
  expect(await countOf(all)).toBe(200);
});

test.skipIf(server === undefined)(`the oldest sums go above 200,000, hours before days${suffix}`, async () => {
  const { ledger, prefix, command } = await openLedger(server?.url ?? '');
  const keys = [`{${prefix}}:request-sum-names`, `{${prefix}}:request-sums`] as const;
  await command('EVAL', PLANT, '2', ...keys, '200000');
  await ledger.requests.append([callOf('req_1')]);
  await ledger.requests.prune(KEEP_ALL);
  expect(await command('ZCARD', keys[0])).toBe(200_001);
  expect(await command('HLEN', keys[1])).toBe(200_001);
  const [first] = (await command('ZRANGEBYLEX', keys[0], '[1', '+', 'LIMIT', '0', '1')) as string[];
  expect(first).toMatch(/^1 0*6 /);
  expect(await command('ZLEXCOUNT', keys[0], '[2', '+')).toBe(100_001);
  expect(await ledger.requests.statistics({ ...ALL, sinceMs: START_MS })).toMatchObject([{ count: 1 }]);
});
