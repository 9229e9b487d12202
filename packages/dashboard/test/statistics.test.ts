import { createAdministration } from '@searchgate/core/administration';
import { formatUsd, type LoggedRequest, memoryRequestLog, type RequestLog } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { Figures, Statistics, StatisticsBy } from '../src/api/contract.js';
import { ROW } from './logged-row.js';
import { failOnce, NOW_MS, openStage, removePages, spend, type User } from './stage.js';

removePages();

const PATH = '/api/v1/statistics';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();

/** Different in every field, from 34 days before now on. */
function rowsOf(count: number, organizations: number, models: number): readonly LoggedRequest[] {
  return Array.from({ length: count }, (_, at) => {
    const hasFailed = at % 7 === 0;
    const model = `p${at % 3}/m${at % models}`;
    return {
      ...ROW,
      requestId: `req_${at}`,
      atMs: NOW_MS - Math.floor(((at * 7_919) % count) * ((34 * DAY_MS) / count)),
      endpoint: ['answer', 'search'][at % 2] ?? '',
      organizationId: `org-${(at * 31) % organizations}`,
      model,
      provider: `p${at % 3}`,
      status: hasFailed ? 502 : 200,
      reason: hasFailed ? 'upstream_error' : null,
      cost: hasFailed ? null : BigInt(at),
      rescued: at % 11 === 1 && !hasFailed,
    };
  });
}

function openOn(log: Pick<RequestLog, 'append' | 'statistics'>) {
  const { gateway, administration, ledger } = openStage();
  const { requests } = createAdministration({ ledger, requestLog: log as RequestLog });
  const stage = openStage({ gateway, administration: { ...administration, requests } });
  const read = async (query: string, user: User = 'viewer'): Promise<Statistics> => {
    const { status, json } = await stage.call(user, 'GET', PATH, { query });
    expect([query, status, json.error]).toEqual([query, 200, undefined]);
    return json;
  };
  return { ...stage, read };
}

const FIELDS: Partial<Record<StatisticsBy, (row: LoggedRequest) => string>> = {
  kind: (row) => row.endpoint,
  model: (row) => row.model ?? '',
  provider: (row) => row.provider ?? '',
  organization: (row) => row.organizationId,
  outcome: (row) => row.reason ?? 'answered',
};

type Sums = Pick<Figures, 'calls' | 'failures' | 'rescued' | 'cost'>;
const sums = (rows: readonly LoggedRequest[]): Sums => ({
  calls: rows.length,
  failures: rows.filter(({ reason }) => reason !== null).length,
  rescued: rows.filter(({ rescued }) => rescued).length,
  cost: formatUsd(rows.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n)),
});

const ASKED = [
  ['', 20, 'hour'],
  ['kind,provider', 7 * 24 + 5, 'hour'],
  ['organization', 7 * 24 + 5, 'hour'],
  ['model,organization', 20, 'hour'],
  ['outcome,kind', 33 * 24, 'day'],
] as const;

/** The begin of the span of a call, as the answer has it. */
const spanOf = ({ since, times, step }: Statistics, { atMs }: LoggedRequest) =>
  times[Math.floor((atMs - Date.parse(since)) / (step === 'hour' ? HOUR_MS : DAY_MS))];

describe('api/v1/statistics', () => {
  // Few groups come in one read, and more in slices.
  it.each([
    ['few', 3, 5],
    ['many', 120, 100],
  ])('of %s groups equals the calls, in all, by group, and in each span', async (_, organizations, models) => {
    const log = memoryRequestLog({ maxRows: 100_000 });
    const rows = rowsOf(1_500, organizations, models);
    await log.append(rows);
    const { read } = openOn(log);
    for (const [by, hours, step] of ASKED)
      for (const model of [undefined, 'p1/m1']) {
        const sinceMs = NOW_MS - hours * HOUR_MS - 1;
        const filter = model === undefined ? '' : `&model=${model}`;
        const answer = await read(`by=${by}&measure=failures&since=${iso(sinceMs)}${filter}`);
        const { since, until, times, total, data, omitted } = answer;
        expect([answer.step, Date.parse(since) <= sinceMs, Date.parse(until) >= NOW_MS]).toEqual([step, true, true]);
        const isSeen = (row: LoggedRequest) => iso(row.atMs) >= since && iso(row.atMs) < until;
        const seen = rows.filter((row) => isSeen(row) && (model === undefined || row.model === model));
        const slotsOf = (some: readonly LoggedRequest[]) =>
          times.map((at) => sums(some.filter((row) => spanOf(answer, row) === at)));
        expect(total).toMatchObject({ ...sums(seen), slots: slotsOf(seen) });
        const fields = by === '' ? [] : (by.split(',') as StatisticsBy[]);
        const nameOf = (row: LoggedRequest) => String(fields.map((field) => FIELDS[field]?.(row)));
        expect(omitted + data.length).toBe(new Set(seen.map(nameOf)).size);
        const failures = data.map((row) => row.failures ?? 0);
        expect(failures).toEqual(failures.toSorted((a, b) => b - a));
        for (const [at, { group, slots, ...figures }] of data.slice(0, 12).entries()) {
          const own = seen.filter((row) => nameOf(row) === String(group));
          expect({ figures, slots }).toMatchObject({ figures: sums(own), slots: at < 8 ? slotsOf(own) : null });
        }
      }
  });

  it('has failed attempts where they failed, also those of answered calls, and none of callers', async () => {
    const log = memoryRequestLog();
    const attempt = { durationMs: 90, cost: 7n, phase: null, upstreamStatus: null, code: null };
    const one = { ...attempt, provider: 'one', model: 'one/answer' };
    const two = { ...attempt, provider: 'two', model: 'two/answer', outcome: 'answered', durationMs: 400 } as const;
    const failed = { ...one, outcome: 'upstream_error' } as const;
    const row = { ...ROW, atMs: NOW_MS };
    await log.append([
      { ...row, requestId: 'a', rescued: true, attempts: [failed, two] },
      { ...row, requestId: 'b', status: 502, attempts: [failed] },
      { ...row, requestId: 'c', attempts: [{ ...one, outcome: 'query_rejected' }] },
      { ...row, requestId: 'd', attempts: [{ ...one, outcome: 'hedged' }, two] },
    ]);
    const { data } = await openOn(log).read(`by=provider&of=attempts&since=${iso(NOW_MS - DAY_MS)}`);
    expect(data).toMatchObject([
      { group: ['one'], calls: 2, failures: 2, rescued: 1, p50_ms: null, cost: '0.000000028' },
      { group: ['two'], calls: 2, failures: 0, rescued: 0, p50_ms: 425, cost: '0.000000014' },
    ]);
  });

  it('has no spans of groups of which there are too many, and refuses what it could not count', async () => {
    const log = memoryRequestLog({ maxRows: 30_000 });
    await log.append(rowsOf(4_900, 9_000, 1));
    const { read, call } = openOn(log);
    const sinceMs = NOW_MS - 34 * DAY_MS;
    const query = `by=organization&measure=calls&since=${iso(sinceMs)}`;
    const { data, omitted, total } = await read(query);
    expect([data.length + omitted, total.calls, data[0]]).toEqual([
      4_900,
      4_900,
      expect.objectContaining({ slots: null }),
    ]);
    expect(total.slots.reduce((sum, { calls }) => sum + calls, 0)).toBe(4_900);
    await log.append(rowsOf(12_000, 12_000, 1).map((row) => ({ ...row, requestId: `${row.requestId} more` })));
    const refused = await call('viewer', 'GET', PATH, { query });
    expect([refused.status, refused.json.error.field]).toEqual([400, 'by']);
  });

  it('is by minute of a short time, and by hour where the log has lost calls', async () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({
      ...ROW,
      requestId: `${at}`,
      atMs: NOW_MS - at * 3 * 60_000,
    }));
    for (const [maxRows, step] of [
      [100, 'minute'],
      [10, 'hour'],
    ] as const) {
      const log = memoryRequestLog({ maxRows });
      await log.append(rows);
      const answer = await openOn(log).read(`by=kind&since=${iso(NOW_MS - HOUR_MS + 1)}`);
      expect([answer.step, answer.total.calls, answer.data[0]?.calls]).toEqual([step, 21, 21]);
    }
  });

  it('has keys and tags of the ledger, by day, as far as the user may see', async () => {
    const stage = openStage();
    const ids = [await spend(stage, 'acme', 2, 'one'), await spend(stage, 'acme', 1, 'two')];
    await spend(stage, 'globex');
    await stage.clock.advance(DAY_MS);
    await spend(stage, 'globex');
    const since = `since=${iso(NOW_MS - DAY_MS)}`;
    const read = async (query: string, user: User = 'acmeViewer') =>
      (await stage.call(user, 'GET', PATH, { query: `${since}&${query}` })).json as Statistics;
    const { step, times, total, data } = await read('by=key&measure=calls');
    expect([step, times.length, total.calls, total.slots.map(({ calls }) => calls)]).toEqual(['day', 3, 3, [0, 3, 0]]);
    expect(data).toMatchObject([
      { group: [ids[0]], label: 'one', calls: 2, failures: null, slots: [{ calls: 0 }, { calls: 2 }, { calls: 0 }] },
      { group: [ids[1]], label: 'two', calls: 1, p95_ms: null },
    ]);
    expect((await read('by=tag')).data).toMatchObject([{ group: [''], calls: 3, slots: [{}, { calls: 3 }, {}] }]);
    expect((await read('by=key', 'viewer')).data.map(({ label }) => label)).toContain('two');
    const month = await stage.call('viewer', 'GET', PATH, { query: `by=key&since=${iso(NOW_MS - 70 * DAY_MS)}` });
    expect(month.json.data[0]).toMatchObject({ calls: 2, slots: null });
  });

  it('is only of visible organizations', async () => {
    const stage = openStage();
    await spend(stage, 'acme');
    await spend(stage, 'globex', 2);
    await failOnce(stage, 'globex');
    await stage.clock.advance(1_000);
    const read = async (user: User, query: string) =>
      stage.call(user, 'GET', PATH, { query: `since=${iso(NOW_MS)}${query}` });
    expect((await read('acmeViewer', '')).json.total).toMatchObject({ calls: 1, failures: 0 });
    expect((await read('twoOperator', '')).json.total).toMatchObject({ calls: 4, failures: 1 });
    expect((await read('acmeViewer', '&organization=globex')).status).toBe(404);
  });

  it.each([
    ['', 'since'],
    ['since=yesterday', 'since'],
    [`since=${iso(NOW_MS + 1)}`, 'since'],
    [`since=${iso(NOW_MS - 401 * DAY_MS)}`, 'since'],
    [`by=key&since=${iso(NOW_MS - 401 * DAY_MS)}`, 'since'],
    [`since=${iso(NOW_MS - DAY_MS)}&until=${iso(NOW_MS - DAY_MS)}`, 'since'],
    ['by=model,kind,provider', 'by'],
    ['by=model,model', 'by'],
    ['by=day', 'by'],
    ['by=key,model', 'by'],
    ['by=key&measure=p95_ms', 'measure'],
    ['by=tag&of=attempts', 'of'],
    ['by=key&model=exa/answer', 'model'],
    ['by=key&kind=answer', 'kind'],
    ['model=', 'model'],
    ['key=sg_1', 'key'],
    ['measure=money', 'measure'],
    ['org=acme', 'org'],
  ])('refuses %j, naming the parameter', async (query, field) => {
    const { call } = openStage();
    const given = /since=/.test(query) || query === '' ? query : `${query}&since=${iso(NOW_MS - DAY_MS)}`;
    for (const path of [PATH, `${PATH}.csv`]) {
      const { status, json } = await call('viewer', 'GET', path, { query: given });
      expect([status, json.error.field]).toEqual([400, field]);
    }
  });

  it('says so where the log would have to read too many sums', async () => {
    const { call, administration } = openStage();
    const refused = () => Promise.reject(new RangeError('too many sums'));
    Object.assign(administration.requests ?? {}, { statistics: refused });
    const { status, json } = await call('viewer', 'GET', PATH, { query: `since=${iso(NOW_MS - DAY_MS)}` });
    expect([status, json.error.field]).toEqual([400, 'since']);
  });

  it('reads no minutes of a busy time, which it could not count whole', async () => {
    const { call, administration } = openStage();
    const steps: string[] = [];
    const durations = Array.from({ length: 17 }, (_, place) => (place === 0 ? 50_001 : 0));
    const statistics = ({ step }: { readonly step: string }) => {
      steps.push(step);
      return Promise.resolve([{ atMs: NOW_MS, outcome: 'answered', count: 50_001, cost: 0n, rescued: 0, durations }]);
    };
    Object.assign(administration.requests ?? {}, { statistics });
    const { json } = await call('viewer', 'GET', PATH, { query: `since=${iso(NOW_MS - HOUR_MS)}` });
    expect([json.step, json.total.calls, steps.includes('minute')]).toEqual(['hour', 50_001, false]);
  });

  it('is a CSV of the groups, or of the spans', async () => {
    const stage = openStage();
    await spend(stage, 'acme', 2);
    const read = async (by: string) =>
      (await stage.call('viewer', 'GET', `${PATH}.csv`, { query: `since=${iso(NOW_MS - 4 * HOUR_MS)}${by}` })).text;
    await stage.clock.advance(1_000);
    expect(await read('&by=model,outcome')).toMatch(/^model,outcome,calls,.*\r\nhandbook\/answer,answered,2,0,0,/);
    expect(await read('')).toMatch(
      /^time,calls,.*\r\n2026-11-21T08:00:00.000Z,0,.*\r\n(?:.*\r\n){3}2026-11-21T12:00:00.000Z,2,0,0,/,
    );
  });
});
