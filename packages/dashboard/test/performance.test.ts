import { createAdministration } from '@searchgate/core/administration';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { failOnce, MODEL, NOW_MS, openStage, removePages, type Stage, spend } from './stage.js';

removePages();

const PATH = '/api/v1/performance';
const HOUR_MS = 3_600_000;

describe('api/v1/performance', () => {
  it('tells calls, failures and latencies by model, in 24 parts of the time', async () => {
    const stage = openStage();
    await spend(stage, 'acme', 2);
    await stage.clock.advance(2 * HOUR_MS);
    await failOnce(stage, 'globex');
    await stage.clock.advance(1_000);
    const { json } = await stage.call('viewer', 'GET', PATH, { query: 'by=model' });
    expect(json).toMatchObject({ by: 'model', until: new Date(NOW_MS + 2 * HOUR_MS + 1_000).toISOString() });
    expect(json.data).toMatchObject([{ group: MODEL, calls: 3, failures: 1, p50_ms: 0, p95_ms: 0 }]);
    const { slots } = json.data[0] as { slots: { calls: number; failures: number }[] };
    expect(slots).toHaveLength(24);
    expect(slots.slice(-3).map(({ calls, failures }) => [calls, failures])).toEqual([
      [2, 0],
      [0, 0],
      [1, 1],
    ]);
    const ofAcme = (await stage.call('acmeViewer', 'GET', PATH, { query: 'by=provider' })).json;
    expect(ofAcme.data).toMatchObject([{ group: 'handbook', calls: 2, failures: 0 }]);
    expect((await stage.call('viewer', 'GET', PATH, { query: 'by=model&hours=1' })).json.data[0].calls).toBe(1);
  });

  /** A stage whose log has 6,000 calls of acme, behind one of globex. */
  async function flooded(): Promise<Stage> {
    const stage = openStage();
    const log = memoryRequestLog();
    await spend(stage, 'acme', 1);
    await stage.clock.advance(1_000);
    const { rows } = await stage.administration.requests!.find({});
    const row = (await stage.administration.requests!.get(rows[0]!.requestId))!;
    const key = { organizationId: 'globex', keyId: 'key-globex', provider: 'small', durationMs: 7 };
    await log.append([{ ...row, ...key, requestId: 'req_small', atMs: NOW_MS - 10_000_000 }]);
    await log.append(
      Array.from({ length: 6_000 }, (_, index) => ({
        ...row,
        requestId: `req_${index}`,
        atMs: NOW_MS - (5_999 - index) * 1_000,
        ...(index % 3 === 0 && { status: 402 }),
        ...(index % 3 === 1 && { cache: 'hit' as const, durationMs: 1 }),
        ...(index % 3 === 2 && { durationMs: 100 }),
      })),
    );
    const { gateway, administration, ledger } = stage;
    const { requests } = createAdministration({ ledger, requestLog: log });
    return openStage({ gateway, administration: { ...administration, requests } });
  }

  it('reads the newest 5,000 calls, without refused ones, and takes no cached answer for a fast model', async () => {
    const { call } = await flooded();
    const { json } = await call('acmeViewer', 'GET', PATH, { query: 'by=provider' });
    expect(json.since).toBe(new Date(NOW_MS - 4_999_000).toISOString());
    expect(json.data).toMatchObject([{ calls: 3_334, p50_ms: 100, p95_ms: 100 }]);
  });

  it('reads a share of each organization, whatever another one calls', async () => {
    const { call } = await flooded();
    const { json } = await call('viewer', 'GET', PATH, { query: 'by=provider' });
    expect(json.data).toMatchObject([{ group: 'handbook' }, { group: 'small', calls: 1, p50_ms: 7 }]);
  });

  it('is only of visible organizations', async () => {
    const { call } = openStage();
    expect((await call('acmeViewer', 'GET', PATH, { query: 'by=model&organization=globex' })).status).toBe(404);
  });
});
