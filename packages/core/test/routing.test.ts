import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatUsd,
  type GatewayOptions,
  isConfigurationError,
  memoryApiKeys,
  memoryLedger,
  parseUsd,
} from '../src/index.js';
import type { HoldRequest } from '../src/ledger/index.js';
import type { Provider } from '../src/provider-kit/index.js';
import type { RoutingPreferences } from '../src/routing/routing-preferences.js';
import { askOverHttp } from './ask-over-http.js';
import { fingerprintStore } from './fingerprints.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start, whileAdvancing } from './scripted-gateway.js';

const REJECTED = failure('upstream_rejected');
/** A provider with one model at this price, which always answers or always fails. */
const priced = (id: string, request: string, fails = false) => scripted(id, [fails ? REJECTED : OUTCOME], { request });

/** A key that may only call these models. */
const restricted = (...allowedModels: string[]) =>
  memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', allowedModels }]);

function host(providers: readonly Provider[], options: Partial<GatewayOptions> = {}) {
  const inner = memoryLedger({ credits: { acme: '1000' } });
  const holds: HoldRequest[] = [];
  const hold = (request: HoldRequest) => {
    holds.push(request);
    return inner.hold(request);
  };
  const started = start(providers, { limit: null, ledger: { ...inner, hold }, ...options });
  const post = (fields: object, headers: Record<string, string> = {}) =>
    askOverHttp(started.gateway, { body: { model: 'one/answer', query: 'When?', ...fields }, headers });
  const answer = (model: string, routing?: RoutingPreferences) =>
    started.gateway.answer({ apiKey: KEY, model, query: 'When?', routing });
  return { ...started, holds, post, answer };
}

describe('routing preferences of a question', () => {
  const three = () => [priced('one', '0.003', true), priced('two', '0.002'), priced('three', '0.001')] as const;
  const providersOf = (all: readonly { provider: Provider }[]) => all.map(({ provider }) => provider);
  const fallbacks = { 'one/answer': ['two/answer'] };

  it('replace the configured fallbacks, over HTTP and in process', async () => {
    const all = three();
    const { post, answer } = host(providersOf(all), { fallbacks });
    expect((await post({})).body).toMatchObject({ model: 'two/answer' });
    expect((await post({ routing: { fallbacks: ['three/answer'] } })).body).toMatchObject({ model: 'three/answer' });
    expect(await answer('one/answer', { fallbacks: ['three/answer'] })).toMatchObject({ model: 'three/answer' });
    expect((await post({ routing: { fallbacks: [] } })).body).toMatchObject({ error: { reason: 'upstream_rejected' } });
    expect(all.map(({ calls }) => calls.length)).toEqual([4, 1, 2]);
  });

  it('ask the cheapest first, and hold for the most expensive', async () => {
    const all = three();
    const { post, holds } = host(providersOf(all), { fallbacks: { 'one/answer': ['two/answer', 'three/answer'] } });
    const { body } = await post({ routing: { sort: 'price' } });
    expect(body).toMatchObject({ model: 'three/answer', usage: { cost: 0.001 } });
    expect(all.map(({ calls }) => calls.length)).toEqual([0, 0, 1]);
    expect(holds).toMatchObject([
      { amount: 3_000_000n, acceptableAmounts: [2_000_000n, 1_000_000n], model: 'three/answer' },
    ]);
  });

  it('skip models whose hold exceeds max_cost, with the organization’s markup', async () => {
    const all = three();
    const { post, holds } = host(providersOf(all), { fallbacks, organizationMarkups: { acme: '1.5' } });
    expect((await post({ routing: { max_cost: '0.003' } })).body).toMatchObject({ model: 'two/answer' });
    expect(holds).toMatchObject([{ amount: 3_000_000n }]);
    expect(all[0].calls).toEqual([]);
  });

  it('refuse the question before any hold if no model is cheap enough', async () => {
    const { post, answer, holds, kinds } = host(providersOf(three()), { fallbacks });
    expect(await post({ routing: { max_cost: '0.001' } })).toMatchObject({
      status: 400,
      body: {
        error: {
          type: 'invalid_request_error',
          reason: 'max_cost_exceeded',
          param: 'routing.max_cost',
          retryable: false,
          metadata: { max_cost: 0.001, cheapest: { model: 'two/answer', required: 0.002 } },
        },
      },
    });
    await expect(answer('one/answer', { maxCost: '0' })).rejects.toMatchObject({
      reason: 'max_cost_exceeded',
      param: 'routing.maxCost',
      details: { maxCost: 0n, cheapest: { model: 'two/answer', required: 2_000_000n } },
    });
    expect([holds, await kinds()]).toEqual([[], [['grant', 1_000_000_000_000n]]]);
  });

  it.each([
    [{ fallbacks: ['nine/answer'] }, 404, 'model_not_found', 'routing.fallbacks'],
    [{ fallbacks: ['three/answer'] }, 403, 'model_not_allowed', 'routing.fallbacks'],
    [{ sort: 'best' }, 400, 'invalid_field', 'routing.sort'],
    [{ maxCost: '1' }, 400, 'invalid_field', 'routing.maxCost'],
  ])('are refused if invalid: %j', async (routing, status, reason, param) => {
    const { post, holds } = host(providersOf(three()), { apiKeys: restricted('one/answer', 'two/answer') });
    expect(await post({ routing })).toMatchObject({ status, body: { error: { reason, param } } });
    expect(holds).toEqual([]);
  });

  it('ask the recently fastest model first', async () => {
    const slowly = (ms: number) => () =>
      new Promise<typeof OUTCOME>((resolve) => clock.schedule(ms, () => resolve(OUTCOME)));
    const all = [scripted('one', [slowly(900)]), scripted('two', [slowly(100)])];
    const { clock, answer } = host(providersOf(all));
    for (const model of ['one/answer', 'two/answer']) await whileAdvancing(clock, answer(model), 100);
    const routed = answer('one/answer', { sort: 'latency', fallbacks: ['two/answer'] });
    expect(await whileAdvancing(clock, routed, 100)).toMatchObject({ model: 'two/answer' });
  });

  it('count a model that used up its deadline as slow', async () => {
    const never = () => new Promise<typeof OUTCOME>(() => undefined);
    const { clock, answer } = host(providersOf([scripted('one', [never]), priced('two', '0.001')]));
    const routing: RoutingPreferences = { sort: 'latency', fallbacks: ['two/answer'] };
    expect(await whileAdvancing(clock, answer('one/answer', routing))).toMatchObject({ model: 'two/answer' });
    const startMs = clock.now();
    expect(await whileAdvancing(clock, answer('one/answer', routing))).toMatchObject({ model: 'two/answer' });
    expect(clock.now()).toBe(startMs);
  });
});

describe('latency routing through the gateway', () => {
  const BAD = [
    ['turns slow', 5_000],
    ['no longer answers in time', null],
    ['fails', REJECTED],
    ['is down', failure('upstream_error')],
  ] as const;

  /** Two providers, the first with a changeable behavior, and one call a second to a group of them. */
  function scene() {
    const state: { fast: number | null | Error } = { fast: 300 };
    const after = (ms: number) => new Promise<typeof OUTCOME>((resolve) => clock.schedule(ms, () => resolve(OUTCOME)));
    const now = () => {
      const { fast } = state;
      if (fast instanceof Error) return Promise.reject(fast);
      return fast === null ? new Promise<typeof OUTCOME>(() => undefined) : after(fast);
    };
    const providers = [scripted('fast', [now]).provider, scripted('other', [() => after(500)]).provider];
    const models = ['other/answer', 'fast/answer'];
    const { clock, answer } = host(providers, { groups: { auto: { models, sort: 'latency' } } });
    const served = async (calls: number) => {
      const by: string[] = [];
      for (let call = 0; call < calls; call += 1) {
        by.push((await whileAdvancing(clock, answer('auto'), 100)).provider);
        await clock.advance(1_000);
      }
      return by;
    };
    return { state, clock, served };
  }

  it.each(BAD)('leaves a provider that %s within 20 calls, and returns within a minute', async (_what, bad) => {
    const { state, clock, served } = scene();
    await served(60);
    expect((await served(20)).filter((by) => by === 'fast').length).toBeGreaterThan(15);
    state.fast = bad;
    await served(20);
    expect((await served(40)).filter((by) => by === 'other').length).toBeGreaterThan(35);
    state.fast = 300;
    const recoveredMs = clock.now();
    while (clock.now() < recoveredMs + 58_000) await served(1);
    expect((await served(20)).filter((by) => by === 'fast').length).toBeGreaterThan(15);
  });
});

describe('a group', () => {
  const models = ['one/answer', 'two/answer', 'three/answer'];
  const build = (prices: readonly string[], options: Partial<GatewayOptions>) =>
    host(
      prices.map((price, index) => priced(['one', 'two', 'three'][index] ?? '', price).provider),
      options,
    );

  it('is asked like a model, and answer and event name the serving model', async () => {
    const { post, gateway, events } = build(['0.003', '0.001', '0.002'], {
      groups: { auto: { models, sort: 'price' } },
    });
    expect((await post({ model: 'auto' })).body).toMatchObject({ model: 'two/answer', provider: 'two' });
    await gateway.close();
    expect(events.find(({ type }) => type === 'request_finished')).toMatchObject({
      requestedModel: 'auto',
      model: 'two/answer',
      provider: 'two',
    });
  });

  it('streams as a model does', async () => {
    const { gateway } = build(['0.003', '0.001', '0.002'], { groups: { auto: { models, sort: 'price' } } });
    const seen: unknown[] = [];
    for await (const event of gateway.answerStream({ apiKey: KEY, model: 'auto', query: 'When?' })) seen.push(event);
    expect(seen[0]).toMatchObject({ type: 'start', model: 'two/answer', provider: 'two' });
  });

  it('is not in GET /models', () => {
    const { gateway } = build(['0.003'], { groups: { auto: { models: ['one/answer'] } } });
    expect(gateway.models({ category: 'answer' }).map(({ id }) => id)).toEqual(['one/answer']);
  });

  it('holds for its most expensive model that the key may call', async () => {
    const { answer, holds } = build(['0.003', '0.001', '0.002'], {
      groups: { auto: { models } },
      apiKeys: restricted('two/answer', 'three/answer'),
    });
    expect(await answer('auto')).toMatchObject({ model: 'two/answer', usage: { cost: 0.001 } });
    expect(holds).toMatchObject([{ amount: 2_000_000n }]);
  });

  it('without a model that the key may call is model_not_allowed', async () => {
    const options = { groups: { auto: { models: ['one/answer'] } }, apiKeys: restricted('two/answer') };
    const { answer } = build(['0.003', '0.001'], options);
    expect(await reasonOf(answer('auto'))).toBe('model_not_allowed');
  });

  it.each<[string, object, string]>([
    ['without models', { auto: { models: [] } }, 'groups.auto.models'],
    ['of too many models', { auto: { models: Array.from({ length: 21 }, (_, i) => `x/${i}`) } }, 'groups.auto.models'],
    ['of an unknown model', { auto: { models: ['one/answers'] } }, 'groups["auto"].models[0]'],
    ['with an unknown order', { auto: { models, sort: 'best' } }, 'groups.auto.sort'],
    ['with an unknown option', { auto: { models, order: 'price' } }, 'groups.auto.order'],
    ['named like a model', { 'two/answer': { models: ['one/answer'] } }, 'groups["two/answer"]'],
  ])('%s is refused when the gateway is built', (_what, groups, path) => {
    const paths = () => {
      try {
        build(['0.003', '0.001', '0.002'], { groups: groups as NonNullable<GatewayOptions['groups']> });
      } catch (error) {
        return isConfigurationError(error) ? error.problems.map((problem) => problem.path) : error;
      }
      return [];
    };
    expect(paths()).toEqual([path]);
  });
});

describe('the money of a routed call', () => {
  const IDS = ['one', 'two', 'three', 'four'] as const;
  const slugs = IDS.map((id) => `${id}/answer`);
  const price = fc.integer({ min: 0, max: 20 }).map((thousandths) => formatUsd(BigInt(thousandths) * 1_000_000n));
  const sort = fc.constantFrom('price', 'latency');
  const call = fc.record({
    model: fc.constantFrom('auto', 'fast', ...slugs),
    routing: fc.record(
      { fallbacks: fc.array(fc.constantFrom('fast', ...slugs), { maxLength: 4 }), sort, maxCost: price },
      { requiredKeys: [] },
    ),
  });
  const scene = fc.record({
    prices: fc.tuple(price, price, price, price),
    fails: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
    group: fc.record({
      models: fc.uniqueArray(fc.constantFrom(...slugs), { minLength: 1 }),
      sort: fc.constantFrom('listed', 'price', 'latency'),
    }),
    chain: fc.uniqueArray(fc.constantFrom(...slugs.slice(1)), { maxLength: 3 }),
    calls: fc.array(call, { minLength: 1, maxLength: 25 }),
  });

  const resolved = (name: string) => (name === 'fast' ? 'two/answer' : name);
  const dearest = (amounts: readonly bigint[]) => amounts.reduce((most, amount) => (amount > most ? amount : most));
  /** The models that may serve, or the refusal of the call. */
  const outcomesOf = (left: readonly string[], fails: readonly boolean[]) => {
    if (left.length === 0) return ['max_cost_exceeded'];
    const answering = left.filter((slug) => fails[slugs.indexOf(slug)] !== true);
    return answering.length === 0 ? ['upstream_rejected'] : answering;
  };

  it('is held for the most expensive remaining candidate, and charged for the serving model', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async ({ prices, fails, group, chain, calls }) => {
        const providers = IDS.map((id, index) => priced(id, prices[index] ?? '0', fails[index]).provider);
        const { answer, holds, totals } = host(providers, {
          aliases: { fast: 'two/answer' },
          fallbacks: { 'one/answer': chain },
          groups: { auto: group },
          markup: '1.5',
          maxAttempts: 10,
          providerFailureThreshold: 1_000_000,
        });
        const costOf = (slug: string) => (parseUsd(prices[slugs.indexOf(slug)] ?? '0') * 3n) / 2n;
        const paid: [number, number][] = [];
        let charged = 0n;
        for (const { model, routing } of calls) {
          holds.length = 0;
          const named = model === 'auto' ? group.models : [resolved(model)];
          const next = routing.fallbacks?.map(resolved) ?? (model === 'one/answer' ? chain : []);
          const most = routing.maxCost === undefined ? null : parseUsd(routing.maxCost);
          const left = [...new Set([...named, ...next])].filter((slug) => most === null || costOf(slug) <= most);
          const served = await answer(model, routing).catch((error: { reason: string }) => error.reason);
          expect(holds.map(({ amount }) => amount)).toEqual(left.length === 0 ? [] : [dearest(left.map(costOf))]);
          const slug = typeof served === 'string' ? null : served.model;
          expect(slug ?? served).toBeOneOf(outcomesOf(left, fails));
          if (slug === null) continue;
          charged += costOf(slug);
          paid.push([typeof served === 'string' ? 0 : served.usage.cost, Number(formatUsd(costOf(slug)))]);
        }
        expect(paid.filter(([real, expected]) => real !== expected)).toEqual([]);
        expect(await totals()).toMatchObject({ usage: charged, held: 0n });
      }),
      { numRuns: 60 },
    );
  });
});

describe('the fingerprint of an Idempotency-Key', () => {
  async function fingerprints(...asked: object[]): Promise<string[]> {
    const { idempotency, seen } = fingerprintStore();
    const { post } = host([priced('one', '0.001').provider], { idempotency });
    for (const [index, fields] of asked.entries()) await post(fields, { 'idempotency-key': `k${index}` });
    return [...seen];
  }

  it('is unchanged without preferences', async () => {
    const today = createHash('sha256').update('["one/answer","When?",true]').digest('hex');
    expect(await fingerprints({}, { routing: null }, { routing: {} })).toEqual([today, today, today]);
  });

  it('depends on preferences, but not on their order or spelling', async () => {
    const [price, same, dearer, none, latency] = await fingerprints(
      { routing: { sort: 'price', max_cost: '0.01' } },
      { routing: { max_cost: '0.0100', sort: 'price' } },
      { routing: { sort: 'price', max_cost: '0.02' } },
      { routing: { fallbacks: [] } },
      { routing: { sort: 'latency' } },
    );
    expect(same).toBe(price);
    expect(new Set([price, dearer, none, latency]).size).toBe(4);
  });

  it('replays an answer even if its model has become too expensive', async () => {
    const dear = { ...OUTCOME, cost: { reported: 9_000_000n } };
    const { post } = host([scripted('one', [dear], { request: '0.005' }).provider]);
    const fields = { routing: { max_cost: '0.005' } };
    const first = await post(fields, { 'idempotency-key': 'k' });
    expect(first).toMatchObject({ status: 200, body: { usage: { cost: 0.009 } } });
    expect((await post(fields, { 'idempotency-key': 'k' })).body).toEqual(first.body);
    expect(await post(fields)).toMatchObject({ status: 400, body: { error: { reason: 'max_cost_exceeded' } } });
  });

  it('frees the key after a refusal for the price', async () => {
    const { post } = host([priced('one', '0.005').provider]);
    const key = { 'idempotency-key': 'k' };
    expect((await post({ routing: { max_cost: '0.001' } }, key)).status).toBe(400);
    expect((await post({ routing: { max_cost: '0.005' } }, key)).status).toBe(200);
  });
});
