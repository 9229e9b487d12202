import { createAdministration } from '@searchgate/core/administration';
import { type LoggedRequest, memoryRequestLog } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { failOnce, MODEL, NOW_MS, openStage, removePages, spend } from './stage.js';

removePages();

const PATH = '/api/v1/performance';
const ROW: LoggedRequest = {
  requestId: 'req',
  answerId: null,
  atMs: NOW_MS,
  endpoint: 'answer',
  keyId: 'key',
  organizationId: 'acme',
  budgets: [],
  byok: false,
  tag: null,
  modelAsked: null,
  model: null,
  provider: null,
  status: 200,
  reason: null,
  stream: false,
  cache: null,
  cost: null,
  upstreamCost: null,
  loss: 0n,
  durationMs: 1,
  upstreamMs: 1,
  firstPartMs: null,
  cause: null,
  attempted: [],
  attemptCount: 0,
  rescued: false,
  attempts: [],
};
const HOUR_MS = 3_600_000;

describe('api/v1/performance', () => {
  it('tells calls, failures and latencies by model, by hour or day', async () => {
    const stage = openStage();
    await spend(stage, 'acme', 2);
    await stage.clock.advance(2 * HOUR_MS);
    await failOnce(stage, 'globex');
    await stage.clock.advance(1_000);
    const { json } = await stage.call('viewer', 'GET', PATH, { query: 'by=model' });
    expect(json).toMatchObject({ by: 'model', until: new Date(NOW_MS + 3 * HOUR_MS).toISOString() });
    expect(json.data).toMatchObject([{ group: MODEL, calls: 3, failures: 1, p50_ms: 25 }]);
    const { slots } = json.data[0] as { slots: { calls: number; failures: number }[] };
    expect(slots).toHaveLength(24);
    expect(slots.slice(-3).map(({ calls, failures }) => [calls, failures])).toEqual([
      [2, 0],
      [0, 0],
      [1, 1],
    ]);
    const ofAcme = (await stage.call('acmeViewer', 'GET', PATH, { query: 'by=provider' })).json;
    expect(ofAcme.data).toMatchObject([{ group: 'handbook', calls: 2, failures: 0 }]);
    const ofWeek = await stage.call('viewer', 'GET', PATH, { query: 'by=model&hours=168' });
    expect(ofWeek.json.data).toMatchObject([{ group: MODEL, calls: 3, failures: 1 }]);
    const ofDays = (ofWeek.json.data[0] as { slots: { calls: number }[] }).slots.map(({ calls }) => calls);
    expect(ofDays).toEqual([0, 0, 0, 0, 0, 0, 3]);
    const { json: ofMonth } = await stage.call('viewer', 'GET', PATH, { query: 'by=model&hours=720' });
    expect(ofMonth.data[0].slots).toHaveLength(30);
  });

  it('counts failed attempts where they failed, also those of answered calls, and none of callers', async () => {
    const { gateway, administration, ledger } = openStage();
    const log = memoryRequestLog();
    const attempt = { durationMs: 90, cost: null, phase: null, upstreamStatus: null, code: null };
    const one = { ...attempt, provider: 'one', model: 'one/answer' };
    const two = { ...attempt, provider: 'two', model: 'two/answer', outcome: 'answered', durationMs: 400 } as const;
    const failed = { ...one, outcome: 'upstream_error' } as const;
    const row = { ...ROW, atMs: NOW_MS };
    await log.append([
      { ...row, requestId: 'a', rescued: true, attempts: [failed, two] },
      { ...row, requestId: 'b', rescued: false, status: 502, attempts: [failed] },
      { ...row, requestId: 'c', rescued: false, attempts: [{ ...one, outcome: 'query_rejected' }] },
      { ...row, requestId: 'd', rescued: false, attempts: [{ ...one, outcome: 'hedged' }, two] },
    ]);
    const { requests } = createAdministration({ ledger, requestLog: log });
    const { call } = openStage({ gateway, administration: { ...administration, requests } });
    const { json } = await call('viewer', 'GET', PATH, { query: 'by=provider' });
    expect(json.data).toMatchObject([
      { group: 'one', calls: 2, failures: 2, rescued: 1, p50_ms: null },
      { group: 'two', calls: 2, failures: 0, rescued: 0, p50_ms: 425 },
    ]);
  });

  it('is only of visible organizations', async () => {
    const { call } = openStage();
    expect((await call('acmeViewer', 'GET', PATH, { query: 'by=model&organization=globex' })).status).toBe(404);
  });
});
