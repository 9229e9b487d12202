import type { Instance, InstanceBoard } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { ProviderWindow } from '../src/api/provider-window.js';
import { delivered, failOnce, MODEL, NOW_MS, openStage, removePages, type Stage, spend } from './stage.js';

removePages();

const MINUTE_MS = 60_000;
const healthOf = async ({ call }: Stage) => (await call('viewer', 'GET', '/api/v1/health')).json;

describe('api/v1/health', () => {
  it('is empty at the start', async () => {
    const none = { attempts: 0, failures: 0, p50_ms: null, p95_ms: null };
    const minutes = Array.from({ length: 60 }, () => ({ attempts: 0, failures: 0 }));
    expect(await healthOf(openStage())).toEqual({
      ledger: { is_reachable: true, read_ms: 0, reason: null, down_since: null },
      in_flight: 0,
      settles_waiting: 0,
      is_closing: false,
      outages: [],
      alerts: [],
      since_minutes: 0,
      instance: {
        id: expect.any(String),
        name: expect.stringMatching(/ \d+$/),
        started_at: '2026-11-21T12:00:00.000Z',
      },
      others: null,
      providers: [{ id: 'handbook', state: 'serving', paused_until: null, keys: [], ...none, minutes }],
    });
  });

  it('names the other processes that share the ledger, while they live', async () => {
    const board = new Map<string, Instance>();
    const instances: InstanceBoard = {
      async beat(instance) {
        board.set(instance.id, instance);
        return Promise.resolve([...board.values()]);
      },
      living: () => Promise.resolve([...board.values()]),
    };
    const administration = { ...openStage().administration, instances };
    const stages = [openStage({ administration }), openStage({ administration })];
    for (const { clock } of stages) await clock.advance(10_000);
    const [first, second] = await Promise.all(stages.map(healthOf));
    expect([first.others, second.others]).toEqual([[second.instance], [first.instance]]);
    for (const { dashboard, clock } of stages) {
      dashboard.close();
      board.clear();
      await clock.advance(60_000);
    }
    expect([...board.keys()]).toEqual([]);
  });

  it('counts attempts and failures in the minute of their end', async () => {
    const stage = openStage();
    await spend(stage, 'acme', 2);
    await stage.clock.advance(2 * MINUTE_MS);
    await failOnce(stage, 'acme');
    const { providers, since_minutes } = await healthOf(stage);
    expect(since_minutes).toBe(2);
    expect(providers[0]).toMatchObject({ attempts: 3, failures: 1, p50_ms: 0 });
    expect(providers[0].minutes.slice(-3)).toEqual([
      { attempts: 2, failures: 0 },
      { attempts: 0, failures: 0 },
      { attempts: 1, failures: 1 },
    ]);
  });

  it('lists paused providers with the end of the pause, and when it began until they serve again', async () => {
    const stage = openStage();
    const { secret } = await stage.administration.apiKeys.create({ organizationId: 'acme', label: 'ci' });
    for (let failure = 0; failure < 10; failure += 1) {
      await failOnce(stage, 'acme');
      await failOnce(stage, 'globex');
    }
    const { providers, alerts } = await healthOf(stage);
    const [provider] = providers;
    const shared = { type: 'provider_paused', organization_id: null, provider: 'handbook' };
    expect(alerts).toContainEqual(
      expect.objectContaining({ ...shared, message: expect.stringMatching(/^paused until 12:00:\d\d UTC: /) }),
    );
    expect(provider).toMatchObject({ state: 'paused', paused_until: expect.stringMatching(/^2026-11-21T12:00:\d\d/) });
    const since = '2026-11-21T12:00:00.000Z';
    const models = expect.arrayContaining([MODEL]) as string[];
    const outages = [{ of: 'provider', provider: 'handbook', since, models }];
    expect((await healthOf(stage)).outages).toEqual(outages);
    await stage.clock.advance(5 * MINUTE_MS);
    // A failed trial goes on with the same outage.
    await failOnce(stage, 'acme');
    expect((await healthOf(stage)).outages).toEqual(outages);
    await stage.clock.advance(5 * MINUTE_MS);
    await stage.gateway.answer({ apiKey: secret, model: MODEL, query: 'When?' });
    await delivered();
    expect((await healthOf(stage)).outages).toEqual([]);
  });

  it('names the keys of a provider that has several, with their states', async () => {
    const { gateway } = openStage();
    const keys = [
      { name: 'main', state: 'rejected', outUntilMs: null },
      { name: 'spare', state: 'out_of_credit', outUntilMs: NOW_MS + MINUTE_MS },
    ] as const;
    const status = () => {
      const now = gateway.status();
      return { ...now, providers: now.providers.map((provider) => ({ ...provider, keys })) };
    };
    const { providers } = await healthOf(openStage({ gateway: { ...gateway, status } }));
    expect(providers[0].keys).toEqual([
      { name: 'main', state: 'rejected', out_until: null },
      { name: 'spare', state: 'out_of_credit', out_until: '2026-11-21T12:01:00.000Z' },
    ]);
  });

  it('says that the gateway is closing', async () => {
    const stage = openStage();
    await stage.gateway.close();
    expect(await healthOf(stage)).toMatchObject({ is_closing: true });
  });

  it('reads the ledger at most once a second, however many users watch', async () => {
    const { administration, gateway } = openStage();
    let reads = 0;
    const entries: typeof administration.entries = (query) => ((reads += 1), administration.entries(query));
    const stage = openStage({ gateway, administration: { ...administration, entries } });
    await Promise.all([healthOf(stage), healthOf(stage), healthOf(stage)]);
    await healthOf(stage);
    expect(reads).toBe(1);
    await stage.clock.advance(1_000);
    await healthOf(stage);
    expect(reads).toBe(2);
  });

  it('reports a failing ledger without the cause', async () => {
    const { administration, gateway } = openStage();
    const entries = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
    const stage = openStage({ gateway, administration: { ...administration, entries } });
    const { ledger } = await healthOf(stage);
    const reason = expect.not.stringContaining('10.0.0.7');
    // Calls can use it: readiness and metrics say so, too.
    expect(ledger).toEqual({ is_reachable: false, read_ms: null, reason, down_since: null });
    expect(stage.logged).toEqual([expect.objectContaining({ message: expect.stringContaining('ECONNREFUSED') })]);
  });

  it('believes the gateway that the ledger is down, although it can be read', async () => {
    const { administration, gateway } = openStage();
    let stores: ReturnType<typeof gateway.status>['stores'] = [{ id: 'ledger', downSinceMs: null }];
    const checkStores = async () => (stores = [{ id: 'ledger', downSinceMs: NOW_MS - 7_000 }]);
    const status = () => ({ ...gateway.status(), stores });
    const stage = openStage({ administration, gateway: { ...gateway, status, checkStores } });
    const down_since = '2026-11-21T11:59:53.000Z';
    const { ledger, outages } = await healthOf(stage);
    expect(ledger).toMatchObject({ is_reachable: false, down_since });
    expect(outages).toEqual([{ of: 'ledger', provider: null, since: down_since, models: [] }]);
  });

  it('waits at most a second for a hanging ledger, and never asks it twice in parallel', async () => {
    const { administration, gateway } = openStage();
    let reads = 0;
    let answer: () => void = () => undefined;
    const entries = () => {
      reads += 1;
      return new Promise<never>((_resolve, reject) => (answer = () => reject(new Error('late'))));
    };
    const stage = openStage({ gateway, administration: { ...administration, entries } });
    for (let time = 0; time < 3; time += 1) {
      const health = healthOf(stage);
      await stage.clock.advance(1_000);
      expect((await health).ledger).toMatchObject({
        is_reachable: false,
        reason: 'It did not answer within a second.',
      });
    }
    expect(reads).toBe(1);
    answer();
    await stage.clock.advance(1_000);
    const health = healthOf(stage);
    await stage.clock.advance(1_000);
    await health;
    expect(reads).toBe(2);
  });
});

describe('ProviderWindow', () => {
  const attempt = (
    atMs: number,
    durationMs: number,
    outcome: 'answered' | 'hedged' | 'upstream_error' | 'query_rejected' = 'answered',
  ) => ({ atMs, durationMs, outcome }) as const;

  it('forgets attempts older than an hour, even after idle hours', () => {
    const window = new ProviderWindow();
    window.add(attempt(NOW_MS, 10));
    expect(window.read(NOW_MS + 59 * MINUTE_MS)).toMatchObject({ attempts: 1, p50_ms: 10 });
    expect(window.read(NOW_MS + 60 * MINUTE_MS)).toMatchObject({ attempts: 0, p50_ms: null });
    window.add(attempt(NOW_MS + 180 * MINUTE_MS, 30));
    expect(window.read(NOW_MS + 180 * MINUTE_MS)).toMatchObject({ attempts: 1, p50_ms: 30, p95_ms: 30 });
  });

  it('keeps the latencies of the last 512 answers', () => {
    const window = new ProviderWindow();
    for (let index = 0; index < 2_000; index += 1) window.add(attempt(NOW_MS, 9_999));
    for (let index = 1; index <= 512; index += 1) window.add(attempt(NOW_MS, index));
    expect(window.read(NOW_MS)).toMatchObject({ attempts: 2_512, p50_ms: 256, p95_ms: 487 });
  });

  it('counts failures of the provider, but neither those of the query, hedged attempts nor refused keys of organizations', () => {
    const window = new ProviderWindow();
    window.add(attempt(NOW_MS, 1, 'upstream_error'));
    window.add(attempt(NOW_MS, 1, 'query_rejected'));
    window.add(attempt(NOW_MS, 1, 'hedged'));
    window.add({ ...attempt(NOW_MS, 1), outcome: 'upstream_auth_failed', byok: true });
    window.add({ ...attempt(NOW_MS, 1, 'upstream_error'), byok: true });
    expect(window.read(NOW_MS)).toMatchObject({ attempts: 3, failures: 2, p50_ms: null });
  });
});
