import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatewayOptions, memoryApiKeys } from '../src/index.js';
import type { AnswerOutcome, ModelRow, Provider } from '../src/provider-kit/index.js';
import type { RouteSort } from '../src/routing/routing-preferences.js';
import { fingerprintStore } from './fingerprints.js';
import { failure, KEY, OUTCOME, scripted, start, whileAdvancing } from './scripted-gateway.js';

const QUESTION = { apiKey: KEY, model: 'one/answer', query: 'When?' };

/** A provider of an answer model, for which the host states these policies. */
function stated(id: string, policies?: readonly string[]) {
  const { provider, calls } = scripted(id, [OUTCOME]);
  return { provider: { ...provider, policies }, calls };
}

/** The refusal of a call: what callers see of it. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    ({ reason, status, param, details }: Record<string, unknown>) => ({ reason, status, param, details }),
  );
const notMet = (require: readonly string[], models: readonly string[]) => ({
  reason: 'policy_not_met',
  status: 400,
  param: 'routing.require',
  details: { require, models },
});

describe('a required policy', () => {
  it('is refused before any hold if no candidate has it, with the models that have it', async () => {
    const [one, two] = [stated('one', ['eu']), stated('two')];
    const six = 'a b c d e f'.split(' ').map((id) => stated(id, ['zdr']));
    const { gateway, kinds } = start([one, two, ...six].map(({ provider }) => provider));
    const routing = { require: ['zdr'], fallbacks: ['two/answer'] };
    const five = ['a/answer', 'b/answer', 'c/answer', 'd/answer', 'e/answer'];
    expect(await refusalOf(gateway.answer({ ...QUESTION, routing }))).toEqual(notMet(['zdr'], five));
    expect([one.calls, two.calls, await kinds()]).toEqual([[], [], [['grant', 10_000_000_000n]]]);
  });

  it('that no host has stated fails closed', async () => {
    const { gateway } = start([stated('one', ['zdr', 'eu']).provider]);
    const routing = { require: ['zdr', 'hipaa'] };
    expect(await refusalOf(gateway.answer({ ...QUESTION, routing }))).toEqual(notMet(['hipaa', 'zdr'], []));
  });

  it('names no model that the key may not call, or that cannot serve the call', async () => {
    const filters = { country: { as: 'land' } };
    const [able, unable, hidden] = [stated('able', ['zdr']), stated('unable', ['zdr']), stated('hidden', ['zdr'])];
    const withFilters = ({ provider }: typeof able): Provider => ({
      ...provider,
      models: provider.models.map((model) => ({ ...model, options: filters })),
    });
    const providers = [withFilters(stated('one')), withFilters(able), unable.provider, withFilters(hidden)];
    const allowedModels = ['one/answer', 'able/answer', 'unable/answer'];
    const key = { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', allowedModels };
    const { gateway } = start(providers, { apiKeys: memoryApiKeys([key]) });
    const call = { ...QUESTION, search: { country: 'DE' }, routing: { require: ['zdr'] } };
    expect(await refusalOf(gateway.answer(call))).toEqual(notMet(['zdr'], ['able/answer']));
  });

  it('lets a fallback serve in place of a model without it', async () => {
    const [one, two] = [stated('one'), stated('two', ['eu', 'zdr'])];
    const fallbacks = { 'one/answer': ['two/answer'] };
    const { gateway } = start([one.provider, two.provider], { fallbacks });
    expect(await gateway.answer({ ...QUESTION, routing: { require: ['zdr'] } })).toMatchObject({ model: 'two/answer' });
    expect(one.calls).toEqual([]);
  });

  const NINE = '["a","b","c","d","e","f","g","h","i"]';
  it.each(['[]', '"zdr"', '["ZDR"]', '[""]', '[7]', '["zdr",null]', '["zdr "]', NINE])(
    'is invalid as %s',
    async (text) => {
      const { gateway } = start([stated('one', ['zdr']).provider]);
      const call = gateway.answer({ ...QUESTION, routing: { require: JSON.parse(text) as string[] } });
      expect(await refusalOf(call)).toMatchObject({ reason: 'invalid_field', param: 'routing.require' });
    },
  );

  it('means the same twice and in any order, for an Idempotency-Key', async () => {
    const { idempotency, seen } = fingerprintStore();
    const { gateway } = start([stated('one', ['zdr', 'eu']).provider], { idempotency });
    const all = [['zdr', 'eu'], ['eu', 'zdr', 'eu'], ['zdr']];
    for (const [at, require] of all.entries())
      await gateway.answer({ ...QUESTION, routing: { require }, idempotencyKey: `k${at}` });
    expect([seen[1] === seen[0], seen[2] === seen[0]]).toEqual([true, false]);
  });

  it('is not served from an answer that is older than the policy', async () => {
    const texts = new Map<string, string>();
    const store = {
      get: (name: string) => Promise.resolve(texts.get(name)),
      set: (name: string, text: string) => Promise.resolve(texts.set(name, text)),
    };
    const options = { cache: { ttlMs: 60_000, store } };
    const [before, after] = [stated('one'), stated('one', ['zdr'])];
    await start([before.provider], options).gateway.answer(QUESTION);
    const { gateway } = start([after.provider], options);
    await gateway.answer({ ...QUESTION, routing: { require: ['zdr'] } });
    expect(after.calls).toHaveLength(1);
    await gateway.answer({ ...QUESTION, routing: { require: ['zdr', 'zdr'] } });
    await gateway.answer(QUESTION);
    expect(after.calls).toHaveLength(1);
  });
});

describe('the policies of a provider', () => {
  it('are listed with each of its models, each once, and none where the host states none', () => {
    const { gateway } = start([stated('one', ['zdr', 'eu', 'zdr']).provider, stated('two').provider]);
    const listed = gateway.models({ category: 'answer' }).map(({ id, policies }) => [id, policies]);
    expect(listed).toEqual([
      ['one/answer', ['zdr', 'eu']],
      ['two/answer', []],
    ]);
  });

  it('cannot be stated by a row of a model', () => {
    const { provider } = stated('one');
    const models = provider.models.map((model) => ({ ...model, policies: ['zdr'] }));
    expect(start([{ ...provider, models }]).gateway.models({ category: 'answer' })).toMatchObject([{ policies: [] }]);
  });

  it('are checked for a provider of any make when the gateway is built', () => {
    const { provider } = stated('one', ['zdr', 'No logs']);
    expect(() => start([provider])).toThrow('one.policies[1]: found "No logs", expected a lower-case letter');
  });
});

describe('every kind of call', () => {
  const row = (slug: string): ModelRow => ({
    slug,
    name: slug,
    description: 'A model of a test.',
    prices: [{ kind: 'flat', request: '0.001', source: 'test', asOf: '2026-11-27', confidence: 'high' }],
    features: [],
    maxResults: 10,
    dimensions: 1,
    timeoutMs: 1_000,
  });

  /** A provider of one model per kind, which counts its calls. */
  function allKinds(id: string, policies: readonly string[]) {
    const { provider, calls } = stated(id, policies);
    const seen: string[] = [];
    const ended = <Outcome>(kind: string, outcome: Outcome) => Promise.resolve(seen.push(kind)).then(() => outcome);
    const all: Provider = {
      ...provider,
      search: { models: [row(`${id}/search`)], search: () => ended('search', { results: [], cost: {} }) },
      extract: {
        models: [row(`${id}/extract`)],
        maxUrls: 1,
        extract: ({ urls }) => ended('extract', { pages: urls.map((url) => ({ url, content: 'text' })), cost: {} }),
      },
      rerank: {
        models: [row(`${id}/rerank`)],
        rerank: () => ended('rerank', { ranks: [{ index: 0, score: 1 }], cost: {} }),
      },
      embed: {
        models: [row(`${id}/embed`)],
        maxInputs: 1,
        embed: () => ended('embed', { embeddings: [{ index: 0, vector: [1] }], cost: {} }),
      },
    };
    return { provider: all, seen: () => seen.length + calls.length };
  }

  it.each(['answer', 'search', 'extract', 'rerank', 'embed'] as const)(
    '%s reaches a provider that has the policy alone',
    async (kind) => {
      const [one, two] = [allKinds('one', ['eu']), allKinds('two', ['zdr'])];
      const { gateway } = start([one.provider, two.provider]);
      const fields = {
        answer: { query: 'When?' },
        search: { query: 'When?' },
        extract: { urls: ['https://example.org/'] },
        rerank: { query: 'When?', documents: ['then'] },
        embed: { input: 'then' },
      };
      const ask = gateway[kind] as (call: object) => Promise<unknown>;
      const call = (id: string) =>
        ask({ apiKey: KEY, model: `${id}/${kind}`, ...fields[kind], routing: { require: ['zdr'] } });
      expect(await refusalOf(call('one'))).toEqual(notMet(['zdr'], [`two/${kind}`]));
      expect(await call('two')).toMatchObject({ provider: 'two' });
      expect([one.seen(), two.seen()]).toEqual([0, 1]);
    },
  );
});

describe('over groups, fallbacks, orders, hedges, the cache and shared calls', () => {
  const IDS = ['one', 'two', 'three', 'four'] as const;
  const slugs = IDS.map((id) => `${id}/answer`);
  const policies = fc.subarray(['zdr', 'eu'], { minLength: 0 });
  const sort = fc.constantFrom<RouteSort>('price', 'latency');
  const require = fc.subarray(['zdr', 'eu'], { minLength: 1 });
  const routing = fc.record(
    { require, sort, fallbacks: fc.array(fc.constantFrom(...slugs), { maxLength: 3 }) },
    { requiredKeys: [] },
  );
  const call = fc.record({ model: fc.constantFrom('auto', ...slugs), routing });
  const four = <T>(each: fc.Arbitrary<T>) => fc.tuple(each, each, each, each);
  const scene = fc.record({
    stated: four(policies),
    acts: four(fc.constantFrom('quick', 'slow', 'fails')),
    group: fc.record({
      models: fc.uniqueArray(fc.constantFrom(...slugs), { minLength: 1 }),
      sort: fc.constantFrom('listed', 'price', 'latency'),
    }),
    chain: fc.uniqueArray(fc.constantFrom(...slugs.slice(1)), { maxLength: 3 }),
    isCached: fc.boolean(),
    waves: fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
  });
  type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

  const hedge = (slug: string) => ({ afterMs: 1_000, with: slug, maxExtraCost: '1' });
  const HEDGING: NonNullable<GatewayOptions['hedging']> = {
    'one/answer': hedge('two/answer'),
    'two/answer': hedge('three/answer'),
    'three/answer': hedge('four/answer'),
    'four/answer': hedge('one/answer'),
    maxShare: 1,
  };

  function build({ stated: words, acts, group, chain, isCached }: Scene) {
    const later = (ms: number) => () =>
      new Promise<AnswerOutcome>((resolve) => running.clock.schedule(ms, () => resolve(OUTCOME)));
    const replies = { quick: later(100), slow: later(3_000), fails: failure('upstream_rejected') };
    const all = IDS.map((id, at) => {
      const { provider, calls } = scripted(id, [replies[acts[at] ?? 'quick']], { request: `0.00${at + 1}` });
      return { provider: { ...provider, policies: words[at] }, calls };
    });
    const running = start(
      all.map(({ provider }) => provider),
      {
        limit: null,
        fallbacks: { 'one/answer': chain },
        groups: { auto: group },
        hedging: HEDGING,
        coalescing: true,
        ...(isCached && { cache: { ttlMs: 3_600_000 } }),
        maxAttempts: 10,
        providerFailureThreshold: 1_000_000,
      },
    );
    return { ...running, asked: () => all.reduce((sum, { calls }) => sum + calls.length, 0) };
  }

  it('no provider without the policy receives a call that requires it, or answers it', async () => {
    const seen = { attempts: 0, hits: 0, joined: 0, hedged: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { gateway, clock, events, asked } = build(given);
        const wordsOf = (provider: string) => given.stated[IDS.indexOf(provider as (typeof IDS)[number])] ?? [];
        const meets = (provider: string, wanted: readonly string[] = []) =>
          wanted.every((word) => wordsOf(provider).includes(word as 'zdr'));
        const calls = given.waves.flat();
        const outcomes: (string | null)[] = [];
        for (const wave of given.waves) {
          const asking = wave.map((each, at) =>
            gateway.answer({ ...QUESTION, ...each, tag: `${outcomes.length + at}` }).then(
              ({ provider }) => provider,
              ({ reason }: { reason: string }) => (reason === 'policy_not_met' ? reason : null),
            ),
          );
          outcomes.push(...(await whileAdvancing(clock, Promise.all(asking), 500)));
        }
        await gateway.close();

        const requireOf = new Map<string, readonly string[] | undefined>();
        for (const event of events) {
          if (event.type !== 'request_finished') continue;
          requireOf.set(event.requestId, calls[Number(event.tag)]?.routing.require);
          seen.hits += event.cache === 'hit' ? 1 : 0;
          seen.joined += event.joined ? 1 : 0;
        }
        const attempts = events.filter((event) => event.type === 'attempt_finished');
        for (const { requestId, provider, outcome } of attempts) {
          expect([provider, meets(provider, requireOf.get(requestId))]).toEqual([provider, true]);
          seen.hedged += outcome === 'hedged' ? 1 : 0;
        }
        // So that no attempt has escaped the check.
        expect(attempts).toHaveLength(asked());
        seen.attempts += attempts.length;
        for (const [at, { model, routing: wishes }] of calls.entries()) {
          const named = model === 'auto' ? given.group.models : [model];
          const next = wishes.fallbacks ?? (model === 'one/answer' ? given.chain : []);
          const left = [...named, ...next].filter((slug) => meets(slug.split('/')[0] ?? '', wishes.require));
          const outcome = outcomes[at] ?? null;
          const isRefused = outcome === 'policy_not_met';
          const isServed = outcome !== null && !isRefused;
          expect([isRefused, isServed && !meets(outcome, wishes.require)]).toEqual([left.length === 0, false]);
          seen.refused += isRefused ? 1 : 0;
        }
      }),
      { numRuns: 100 },
    );
    // The property would say nothing of what never happened.
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
  });
});
