import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type {
  LoggedRequest,
  RequestFilter,
  RequestLog,
  RequestRow,
  StatisticsQuery,
  StatisticsRow,
} from '@searchgate/core/ledger';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { allPages } from './all-pages.js';
import { requestTextConformance } from './request-text-conformance.js';
import { type TestRunner, testsOf } from './test-runner.js';

/** A fresh log and the means of a test to handle it. */
export interface RequestLogUnderTest {
  /** Empty, used by this test alone. */
  readonly log: RequestLog;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** The request log under test, and the test runner. */
export interface RequestLogConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<RequestLogUnderTest>;
  /** Whether the log keeps questions and answers. @default `true` */
  readonly keepsTexts?: boolean | undefined;
}

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 1);
const MANY = 300;
const pick = <T>(values: readonly T[], at: number): T => values[at % values.length] as T;

const CAUSE = {
  provider: 'exa',
  model: 'exa/answer',
  phase: 'connect',
  upstreamStatus: null,
  code: 'ECONNREFUSED',
} as const;

/** Rows that differ in every field; some end at the same time. */
function rowAt(at: number, change: Partial<LoggedRequest> = {}): LoggedRequest {
  const attempts = Array.from({ length: at % 3 }, (_, attempt) => ({
    provider: pick(['exa', 'tavily'], attempt),
    model: pick(['exa/answer', 'tavily/answer'], attempt),
    outcome: attempt === 0 ? ('upstream_timeout' as const) : ('answered' as const),
    durationMs: attempt + 0.5,
    cost: attempt === 0 ? null : 5_000_000n,
    phase: attempt === 0 ? ('headers' as const) : null,
    upstreamStatus: attempt === 0 ? 504 : 200,
    code: attempt === 0 ? 'UND_ERR_SOCKET' : null,
    ...(attempt === 1 && { startMs: 0.1, part: true as const, key: 'key-1' }),
  }));
  return {
    requestId: `req_${String(at).padStart(6, '0')}`,
    answerId: at % 4 === 0 ? null : `ans_${at}`,
    atMs: START_MS + Math.floor(at / 2) * 1_000,
    endpoint: pick(['answer', 'search', 'extract'], at),
    keyId: `key-${at % 5}`,
    organizationId: `org-${at % 3}`,
    tag: pick([null, 'Team Ä', "it's"], at),
    budgets: pick([[], ['team:research'], ['team:research', "user:o'neill,1"]], at),
    byok: at % 2 === 1,
    modelAsked: pick(['fast', 'exa/answer', null], at),
    model: pick(['exa/answer', 'tavily/answer', null], at),
    provider: pick(['exa', null, 'tavily'], at),
    status: pick([200, 402, 429, 502, 499], at),
    reason: pick([null, 'rate_limited', 'upstream_error'] as const, at),
    stream: at % 2 === 0,
    cache: pick([null, 'hit', 'miss'] as const, at),
    cost: pick([null, 0n, 5_000_000n, 2n ** 62n], at),
    upstreamCost: pick([null, 1n], at),
    loss: pick([0n, 7n], at),
    durationMs: at + 0.25,
    upstreamMs: at,
    firstPartMs: pick([null, 12.5], at),
    cause: pick([null, CAUSE], at),
    attempted: attempts.map(({ provider }) => provider),
    attemptCount: attempts.length,
    rescued: at % 3 === 2,
    attempts,
    ...change,
  };
}

const idsOf = (rows: readonly { readonly requestId: string }[]) => rows.map(({ requestId }) => requestId);

const ROWS = Array.from({ length: MANY }, (_, at) => rowAt(at));

const FILTERS: readonly RequestFilter[] = [
  {},
  { sinceMs: START_MS + 50_000 },
  { untilMs: START_MS + 50_000 },
  { sinceMs: START_MS + 10_000, untilMs: START_MS + 20_000 },
  { organizations: ['org-1'] },
  { organizations: ['org-1', 'org-2'] },
  { organizations: [] },
  { keyId: 'key-3' },
  { model: 'tavily/answer' },
  { provider: 'exa' },
  { status: 402 },
  { status: 4 },
  { status: 5 },
  { reason: 'rate_limited' },
  { tag: "it's" },
  { tag: 'unknown' },
  { budget: 'team:research' },
  { budget: "user:o'neill,1", organizations: ['org-2'] },
  { budget: 'team' },
  { attempted: 'tavily' },
  { attempted: 'ta' },
  { rescued: true, organizations: ['org-2'] },
  { rescued: false },
  { minCost: 1n },
  { minCost: 2n ** 62n },
  { minDurationMs: 100.25 },
  { minAttempts: 2, status: 2 },
  {
    organizations: ['org-0'],
    keyId: 'key-0',
    status: 2,
    model: 'exa/answer',
    provider: 'exa',
    sinceMs: START_MS + 5_000,
  },
];

const nameOf = (filter: object) => inspect(filter, { breakLength: Number.POSITIVE_INFINITY });

/** Follows the cursors. */
async function all(log: RequestLog, filter: RequestFilter, limit: number): Promise<readonly RequestRow[]> {
  const pages = await allPages((next) => log.find(filter, { limit, ...next }));
  for (const { rows } of pages) assert.ok(rows.length <= limit, 'a page is no longer than its limit');
  return pages.flatMap(({ rows }) => rows);
}

/** Registers the tests that every request log has to pass: `memoryRequestLog` is the reference. */
export function requestLogConformance({ describe, it, create, keepsTexts = true }: RequestLogConformanceOptions): void {
  const test = testsOf(it, create);
  if (keepsTexts) describe('the questions and answers of a log', () => requestTextConformance(test, ROWS));

  describe('the request log', () => {
    for (const filter of FILTERS) {
      test(`finds by ${nameOf(filter)}, the newest first, each call once`, async ({ log }) => {
        const reference = memoryRequestLog();
        for (const each of [reference, log]) {
          await each.append(ROWS.slice(0, 100));
          await each.append(ROWS.slice(100));
        }
        const wanted = await all(reference, filter, MANY);
        for (const limit of [1, 7, MANY]) assert.deepEqual(await all(log, filter, limit), wanted);
      });
    }

    test('gives a call with its attempts, by the id of the request and of the answer', async ({ log }) => {
      await log.append(ROWS.slice(0, 20));
      for (const row of ROWS.slice(0, 20)) {
        assert.deepEqual(await log.get(row.requestId), row);
        if (row.answerId !== null) assert.deepEqual(await log.get(row.answerId), row);
      }
      assert.equal(await log.get('req_unknown'), undefined);
    });

    test('takes no row twice: the first one stays', async ({ log }) => {
      await log.append([rowAt(1), rowAt(2), rowAt(1, { status: 503 })]);
      await log.append([rowAt(2, { status: 504 }), rowAt(3)]);
      await log.append([]);
      const { rows } = await log.find({}, { limit: 10 });
      assert.deepEqual(
        new Map(rows.map(({ requestId, status }) => [requestId, status])),
        new Map([1, 2, 3].map((at) => [rowAt(at).requestId, rowAt(at).status])),
      );
      await pruneAll(log, { beforeMs: 0, maxRows: 3, ...ALL_SUMS });
      assert.equal((await all(log, {}, MANY)).length, 3);
    });

    test('keeps calls that come while pages are read out of the pages that follow', async ({ log }) => {
      await log.append(ROWS.slice(0, 10));
      const { rows, nextCursor } = await log.find({}, { limit: 4 });
      await log.append([rowAt(MANY)]);
      assert.ok(nextCursor !== null);
      const rest = await log.find({}, { limit: 100, cursor: nextCursor });
      assert.deepEqual(idsOf([...rows, ...rest.rows]), idsOf(ROWS.slice(0, 10).toReversed()));
    });

    test('removes what is too old, and the oldest of too many', async ({ log }) => {
      await log.append(ROWS);
      await pruneAll(log, { beforeMs: START_MS + 50_000, maxRows: MANY, ...ALL_SUMS });
      assert.equal((await all(log, {}, MANY)).length, MANY - 100);
      await pruneAll(log, { beforeMs: START_MS - DAY_MS, maxRows: 21, ...ALL_SUMS });
      assert.deepEqual(idsOf(await all(log, {}, MANY)), idsOf(ROWS.slice(-21).toReversed()));
    });

    test('keeps of too many an equal share of each organization, or all that it has', async ({ log }) => {
      const sizes = { flood: 5_000, busy: 400, some: 30, one: 1 };
      let at = 0;
      // Those with few calls have the oldest.
      for (const [organizationId, size] of Object.entries(sizes).toReversed()) {
        const rows = Array.from({ length: size }, () => rowAt((at += 1), { organizationId }));
        for (let from = 0; from < size; from += 250) await log.append(rows.slice(from, from + 250));
      }
      assert.deepEqual(await log.organizations(3), ['flood', 'busy', 'some']);
      for (const [maxRows, flood, busy, some] of [
        [2_000, 1_569, 400, 30],
        [331, 150, 150, 30],
        [61, 20, 20, 20],
        [4, 1, 1, 1],
      ] as const) {
        await pruneAll(log, { beforeMs: 0, maxRows, ...ALL_SUMS });
        const left = await all(log, {}, 1_000);
        const kept = (id: string) => left.filter(({ organizationId }) => organizationId === id);
        assert.deepEqual(
          [kept('flood').length, kept('busy').length, kept('some').length, kept('one').length],
          [flood, busy, some, 1],
        );
        assert.equal(kept('flood')[0]?.requestId, rowAt(at).requestId);
      }
      assert.equal(await log.erase('one'), 1);
      assert.deepEqual(new Set(await log.organizations(10)), new Set(['flood', 'busy', 'some']));
    });

    test('erases the calls of one organization', async ({ log }) => {
      await log.append(ROWS);
      assert.equal(await log.erase('org-1'), MANY / 3);
      assert.equal(await log.erase('org-1'), 0);
      assert.equal((await all(log, {}, MANY)).length, MANY - MANY / 3);
      assert.deepEqual(await all(log, { organizations: ['org-1'] }, MANY), []);
    });

    test('adds up all calls that came, by hour and day', async ({ log }) => {
      const reference = memoryRequestLog();
      const days = ROWS.map((row, at) => ({
        ...row,
        atMs: row.atMs + at * 600_000,
        cost: row.cost && row.cost / 1_000n,
      }));
      const times = { sinceMs: START_MS - DAY_MS, untilMs: START_MS + 2 * DAY_MS };
      const both = [reference, log];
      const compare = async () => compareStatistics(both, times);
      await compare();
      for (const each of both) {
        await each.append(days.slice(0, 200));
        await each.append(days.slice(100));
        await each.append([days[0] as LoggedRequest]);
      }
      await compare();
      const [sum] = await log.statistics({
        of: 'calls',
        step: 'hour',
        by: [],
        ...times,
        untilMs: START_MS + 9 * DAY_MS,
      });
      assert.equal(sum?.count, MANY);
      const sumsBeforeMs = { hour: START_MS + DAY_MS, day: START_MS };
      for (const each of both) {
        await pruneAll(each, { beforeMs: START_MS + DAY_MS, maxRows: MANY, sumsBeforeMs });
        await each.erase('org-0');
      }
      await compare();
      const hours = await log.statistics({ of: 'calls', step: 'hour', by: ['atMs'], ...times });
      assert.ok(hours.length > 0 && hours.every(({ atMs = 0 }) => atMs >= sumsBeforeMs.hour));
    });

    test('counts the calls that are there by minute, for up to 3 hours', async ({ log }) => {
      const reference = memoryRequestLog();
      // Their minutes begin and end within the times, or not.
      const times = { sinceMs: START_MS + 90_001, untilMs: START_MS + 10_890_001 };
      const both = [reference, log];
      for (const each of both) {
        await each.append(ROWS.map((row, at) => ({ ...row, atMs: START_MS + at * 40_000, cost: row.cost && 7n })));
        await each.append(Array.from({ length: 1_200 }, (_, at) => rowAt(MANY + at, { atMs: START_MS + 3_599_000 })));
      }
      for (const change of ['none', 'prune', 'erase']) {
        if (change === 'prune')
          for (const each of both) await pruneAll(each, { beforeMs: START_MS + 4_000_000, maxRows: MANY, ...ALL_SUMS });
        if (change === 'erase') for (const each of both) await each.erase('org-0');
        await compareStatistics(both, { ...times, step: 'minute' });
      }
      const whole = { of: 'calls', step: 'minute', by: [], ...times } as const;
      const [sum] = await log.statistics(whole);
      const minutes = await log.statistics({ ...whole, by: ['atMs'] });
      assert.ok(minutes.every(({ atMs = 0 }) => atMs % 60_000 === 0 && atMs > times.sinceMs));
      const counted = await all(log, { sinceMs: START_MS + 120_000, untilMs: START_MS + 10_920_000 }, MANY);
      assert.equal(sum?.count, counted.length);
      assert.ok(counted.length > 0);
      await assert.rejects(async () => log.statistics({ ...whole, untilMs: times.untilMs + 1 }), RangeError);
    });

    test('takes a budget out of the calls of one organization, which stay', async ({ log }) => {
      await log.append(ROWS);
      const named = await all(log, { organizations: ['org-2'], budget: 'team:research' }, MANY);
      assert.equal(await log.eraseBudget('org-2', 'team:research'), named.length);
      assert.equal(await log.eraseBudget('org-2', 'team:research'), 0);
      assert.equal(await log.eraseBudget('org-2', 'team'), 0);
      assert.deepEqual(await all(log, { organizations: ['org-2'], budget: 'team:research' }, MANY), []);
      const ofOthers = (rows: readonly RequestRow[]) =>
        rows.filter(({ organizationId }) => organizationId !== 'org-2').map(({ budgets }) => budgets);
      assert.deepEqual(ofOthers(await all(log, {}, MANY)), ofOthers(ROWS).toReversed());
      assert.deepEqual((await log.get(ROWS[2]?.requestId ?? ''))?.budgets, ["user:o'neill,1"]);
    });

    test('takes two budgets out of the same many calls at once', async ({ log }) => {
      const change = { organizationId: 'org-0', budgets: ['a', 'team', 'b'] };
      await log.append(ROWS.map((_, at) => rowAt(at, change)));
      await log.append(ROWS.map((_, at) => rowAt(MANY + at, change)));
      const counts = await Promise.all([log.eraseBudget('org-0', 'a'), log.eraseBudget('org-0', 'b')]);
      assert.deepEqual(counts, [2 * MANY, 2 * MANY]);
      const left = ROWS.map((_, at) => ({ ...rowAt(at, change), budgets: ['team'] }));
      for (const row of left.filter((_, at) => at % 50 === 0)) assert.deepEqual(await log.get(row.requestId), row);
      assert.equal((await all(log, { budget: 'team' }, MANY)).length, 2 * MANY);
      assert.deepEqual(await all(log, { budget: 'b' }, MANY), []);
    });

    test('refuses a text that is no cursor', async ({ log }) => {
      for (const cursor of ['', 'x', '1.', '.req_1', '1'])
        await assert.rejects(async () => log.find({}, { limit: 1, cursor }));
    });
  });
}

/** Sums that are younger are kept. */
const ALL_SUMS = { sumsBeforeMs: { hour: 0, day: 0 } };

const QUERIES: readonly Omit<StatisticsQuery, keyof Times>[] = [
  { of: 'calls', step: 'hour', by: [] },
  { of: 'calls', step: 'hour', by: ['atMs', 'endpoint'] },
  { of: 'calls', step: 'day', by: ['model', 'outcome'] },
  { of: 'calls', step: 'hour', by: ['organizationId'], organizations: ['org-0', 'org-2'] },
  { of: 'calls', step: 'hour', by: [], organizations: [] },
  { of: 'attempts', step: 'hour', by: ['provider', 'outcome', 'atMs'] },
  { of: 'attempts', step: 'day', by: ['model'], provider: 'exa', outcome: 'upstream_timeout' },
];

/** @param logs the reference, and the one under test. */
async function compareStatistics(logs: readonly RequestLog[], change: Partial<StatisticsQuery> & Times): Promise<void> {
  for (const query of QUERIES) {
    const [wanted = [], found = []] = await Promise.all(logs.map((each) => each.statistics({ ...query, ...change })));
    assert.deepEqual(sorted(found), sorted(wanted), JSON.stringify([change, query]));
  }
}

type Times = Pick<StatisticsQuery, 'sinceMs' | 'untilMs'>;

const sorted = (rows: readonly StatisticsRow[]) => rows.map((row) => inspect(row, { sorted: true, depth: 3 })).sort();

async function pruneAll(log: RequestLog, limits: Parameters<RequestLog['prune']>[0]): Promise<void> {
  for (let round = 0; round <= MANY; round += 1) if ((await log.prune(limits)) === 0) return;
  assert.fail('pruning does not end');
}
