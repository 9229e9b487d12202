import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUsd } from '../src/base/money.js';
import { createGateway, type GatewayOptions, type Ledger, memoryApiKeys, memoryLedger } from '../src/index.js';
import { type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY, reasonOf, whileAdvancing } from './scripted-gateway.js';

type End = 'empty' | 'error' | 'found';

interface Finder {
  readonly end: End;
  /** The list price, and what the provider reports, in nanodollars. */
  readonly price: bigint;
  readonly cost?: bigint | undefined;
  readonly afterMs?: number | undefined;
}

const SLUGS = ['a/find', 'b/find', 'c/find', 'd/find', 'e/find'] as const;
const PAGE = { url: 'https://example.org/' };

/** Providers that end as they are told, in the order of the slugs, and what was seen of their calls. */
function play(finders: readonly Finder[], clock: FakeClock) {
  const seen = { asked: [] as string[], billed: 0n, onAsked: (_count: number) => undefined as unknown };
  const providers = finders.map(({ end, price, cost = price, afterMs = 1 }, at): Provider => {
    const slug = SLUGS[at] ?? '';
    const provenance = { source: 'test', asOf: '2026-11-29', confidence: 'high' } as const;
    const about = { slug, name: slug, description: 'Finds what the test says.', features: [], contextLength: null };
    const prices = [{ kind: 'flat', request: formatUsd(price), ...provenance } as const];
    const row = { ...about, prices, maxResults: 20, timeoutMs: 10_000 };
    return {
      id: slug.slice(0, 1),
      name: slug,
      models: [],
      search: {
        models: [row],
        async search() {
          seen.asked.push(slug);
          seen.onAsked(seen.asked.length);
          await new Promise<void>((resolve) => clock.schedule(afterMs, resolve));
          if (end === 'error') throw new UpstreamError('upstream_rejected', { phase: 'headers', status: 400 });
          seen.billed += cost;
          return { results: end === 'found' ? [{ ...PAGE, title: slug }] : [], cost: { reported: cost } };
        },
      },
    };
  });
  return { providers, seen };
}

interface Setup extends Partial<GatewayOptions> {
  readonly credits?: string;
}

/** A gateway whose group `all` has every finder, and what its ledger did. */
function open(finders: readonly Finder[], { credits = '10', ...options }: Setup = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 29));
  const { providers, seen } = play(finders, clock);
  const ledger = memoryLedger({ credits: { acme: credits }, clock });
  const money = { holds: [] as bigint[], ends: 0 };
  const watched: Ledger = {
    ...ledger,
    async hold(request) {
      const result = await ledger.hold(request);
      if (result.status === 'held') money.holds.push(result.amount);
      return result;
    },
    settle(holdId, charge) {
      money.ends += 1;
      return ledger.settle(holdId, charge);
    },
    release(holdId, release) {
      money.ends += 1;
      return ledger.release(holdId, release);
    },
  };
  const models = SLUGS.slice(0, finders.length);
  const gateway = createGateway({
    providers,
    ledger: watched,
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]),
    groups: { all: { models, fallbackOn: ['error', 'empty'] } },
    providerFailureThreshold: 1_000,
    expireHoldsEveryMs: 0,
    clock,
    logger: { warn: () => undefined, error: () => undefined },
    ...options,
  });
  const search = (more: object = {}) =>
    whileAdvancing(clock, gateway.search({ apiKey: KEY, model: 'all', query: 'When?', ...more }), 10);
  const charges = async () =>
    (await ledger.entries({ organizationId: 'acme' })).entries.filter(({ kind }) => kind === 'charge');
  const totals = () => ledger.organizationTotals('acme');
  /** Lets calls end whose callers are gone. */
  async function drain() {
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(10);
      await new Promise(setImmediate);
    }
  }
  return { gateway, clock, seen, money, search, charges, totals, drain };
}

const EMPTY: Finder = { end: 'empty', price: 2_000_000n };
const FOUND: Finder = { end: 'found', price: 3_000_000n };
const FAILS: Finder = { end: 'error', price: 5_000_000n };

describe('a search that finds nothing', () => {
  it('goes on to the next model where the operator says so, and both are in one charge of the model that answered', async () => {
    const { search, seen, money, charges } = open([EMPTY, FOUND]);
    expect(await search()).toMatchObject({ model: 'b/find', results: [PAGE], usage: { results: 1, cost: 0.005 } });
    expect(seen.asked).toEqual(['a/find', 'b/find']);
    expect(money).toEqual({ holds: [5_000_000n], ends: 1 });
    const entry = { model: 'b/find', provider: 'b', amount: 5_000_000n, upstreamCost: 5_000_000n };
    expect(await charges()).toMatchObject([entry]);
  });

  it('is the answer without that, and costs no more', async () => {
    const groups = { all: { models: ['a/find', 'b/find'] } };
    const { search, seen, money } = open([EMPTY, FOUND], { groups });
    expect(await search()).toMatchObject({ model: 'a/find', results: [], usage: { cost: 0.002 } });
    expect({ ...money, asked: seen.asked }).toEqual({ holds: [3_000_000n], ends: 1, asked: ['a/find'] });
  });

  it('also leads to fallbacks, by the option of the gateway', async () => {
    const fallbacks = { 'a/find': ['b/find'] };
    const on = open([EMPTY, FOUND], { fallbacks, fallbackOn: ['error', 'empty'] });
    expect(await on.search({ model: 'a/find' })).toMatchObject({ model: 'b/find', usage: { cost: 0.005 } });
    const off = open([EMPTY, FOUND], { fallbacks });
    expect(await off.search({ model: 'a/find' })).toMatchObject({ model: 'a/find', usage: { cost: 0.002 } });
  });

  it('is the answer of the last model that found nothing, if the others find nothing or fail', async () => {
    const all = open([EMPTY, { ...EMPTY, price: 4_000_000n }, FAILS]);
    expect(await all.search()).toMatchObject({ model: 'b/find', results: [], usage: { results: 0, cost: 0.006 } });
    expect(all.seen.asked).toHaveLength(3);
    const failed = open([FAILS, EMPTY, FOUND], { maxAttempts: 2 });
    expect(await failed.search()).toMatchObject({ model: 'b/find', results: [], usage: { cost: 0.002 } });
    expect(failed.seen.asked).toEqual(['a/find', 'b/find']);
  });

  it('holds what so many attempts can cost, not what all models cost', async () => {
    const { search, money } = open([EMPTY, FOUND, FAILS, EMPTY], { maxAttempts: 2 });
    await search();
    expect(money.holds).toEqual([8_000_000n]);
  });

  it.each([
    ['0.0049', ['a/find'], 2_000_000n],
    ['0.005', ['a/find', 'b/find'], 5_000_000n],
  ])('with a budget or a max_cost of %s asks only %j', async (amount, asked, held) => {
    for (const { setup, call } of [
      { setup: { credits: amount }, call: {} },
      { setup: {}, call: { routing: { maxCost: amount } } },
    ]) {
      const { search, seen, money } = open([EMPTY, FOUND], setup);
      await search(call);
      expect({ asked: seen.asked, holds: money.holds }).toEqual({ asked, holds: [held] });
    }
  });

  it('keeps the dear first model where the budget is enough for it alone', async () => {
    const { search, seen, money } = open([{ ...FOUND, price: 5_000_000n }, EMPTY], { credits: '0.005' });
    expect(await search()).toMatchObject({ model: 'a/find' });
    expect({ asked: seen.asked, holds: money.holds }).toEqual({ asked: ['a/find'], holds: [5_000_000n] });
  });

  it('never costs more than was held, where the host absorbs the rest', async () => {
    const dear = { ...EMPTY, cost: 4_000_000n };
    const { search, money, charges } = open([dear, { ...FOUND, cost: 9_000_000n }], { overrun: 'absorb' });
    expect(await search()).toMatchObject({ usage: { cost: 0.005 } });
    expect(money.holds).toEqual([5_000_000n]);
    expect(await charges()).toMatchObject([{ upstreamCost: 5_000_000n }]);
  });

  it('ends the call of a caller who hung up meanwhile, who pays what came', async () => {
    const { search, seen, charges, totals, drain } = open([EMPTY, FOUND]);
    const caller = new AbortController();
    seen.onAsked = () => caller.abort();
    await reasonOf(search({ signal: caller.signal }));
    await drain();
    expect(seen.asked).toEqual(['a/find']);
    expect(await charges()).toMatchObject([{ model: 'a/find', amount: 2_000_000n }]);
    expect(await totals()).toMatchObject({ held: 0n });
  });
});

describe('routing.fallback_on', () => {
  it('narrows what the operator allows', async () => {
    const { search, seen, money } = open([EMPTY, FOUND]);
    expect(await search({ routing: { fallbackOn: ['error'] } })).toMatchObject({ model: 'a/find', results: [] });
    expect({ asked: seen.asked, holds: money.holds }).toEqual({ asked: ['a/find'], holds: [3_000_000n] });
    expect(await search({ routing: { fallbackOn: ['empty', 'error'] } })).toMatchObject({ model: 'b/find' });
  });

  it('cannot ask for more', async () => {
    const { gateway, search, money } = open([EMPTY, FOUND], { groups: { all: { models: ['a/find', 'b/find'] } } });
    const both = { routing: { fallbackOn: ['error', 'empty'] as const } };
    expect(await reasonOf(search(both))).toBe('unsupported_option');
    expect(await reasonOf(search({ ...both, model: 'a/find' }))).toBe('unsupported_option');
    const body = { model: 'all', query: 'When?', routing: { fallback_on: ['error', 'empty'] } };
    const text = bodyText(await gateway.handle(requestOf('search', { body })));
    const error = { code: 400, reason: 'unsupported_option', param: 'routing.fallback_on' };
    expect(JSON.parse(text)).toMatchObject({ error });
    expect(text).toContain('Leave out routing.fallback_on.');
    expect(money.holds).toEqual([]);
  });

  it.each([[[]], [['empty']], [['error', 'slow']], ['error'], [['error', 'error', 'empty']], [null]])(
    'cannot be %j',
    async (fallbackOn) => {
      const { search } = open([EMPTY, FOUND]);
      expect(await reasonOf(search({ routing: { fallbackOn } }))).toBe('invalid_field');
    },
  );
});

describe('the reply of a search that went on', () => {
  it('is kept as that of the model that answered, at the whole price, and apart from calls that do not go on', async () => {
    const { search, seen, charges } = open([EMPTY, FOUND], { cache: { ttlMs: 600_000, price: '0.5' } });
    await search();
    expect(await search()).toMatchObject({ model: 'b/find', results: [PAGE], usage: { cost: 0.0025 } });
    expect(seen.asked).toHaveLength(2);
    expect(await search({ routing: { fallbackOn: ['error'] } })).toMatchObject({ model: 'a/find', results: [] });
    expect((await charges()).map(({ amount }) => amount)).toEqual([5_000_000n, 2_500_000n, 2_000_000n]);
  });

  it('is kept for a minute at most where it is empty', async () => {
    const store = new Map<string, string>();
    const ttls: number[] = [];
    const kept = {
      get: (name: string) => Promise.resolve(store.get(name)),
      set(name: string, text: string, ttlMs: number) {
        store.set(name, text);
        return Promise.resolve(ttls.push(ttlMs));
      },
    };
    const { search, seen, clock } = open([EMPTY], { cache: { ttlMs: 600_000, store: kept } });
    await search();
    await clock.advance(59_000);
    await search();
    expect([seen.asked.length, ttls]).toEqual([1, [60_000]]);
    await clock.advance(1_000);
    await search();
    expect([seen.asked.length, ttls]).toEqual([2, [60_000, 60_000]]);
    const found = open([FOUND], { cache: { ttlMs: 600_000 } });
    await found.search();
    await found.clock.advance(599_000);
    await found.search();
    expect(found.seen.asked).toHaveLength(1);
    const short = open([EMPTY], { cache: { ttlMs: 30_000 } });
    await short.search();
    await short.clock.advance(30_000);
    await short.search();
    expect(short.seen.asked).toHaveLength(2);
  });

  it('is shared with callers who ask the same meanwhile', async () => {
    const { gateway, clock, seen, charges, totals } = open([EMPTY, FOUND], { coalescing: { sharedPrice: '0.5' } });
    const asked = { apiKey: KEY, model: 'all', query: 'When?' };
    const replies = await whileAdvancing(clock, Promise.all([gateway.search(asked), gateway.search(asked)]), 10);
    expect(replies.map(({ model }) => model)).toEqual(['b/find', 'b/find']);
    expect(seen.asked).toHaveLength(2);
    expect(new Set((await charges()).map(({ amount }) => amount))).toEqual(new Set([2_500_000n, 5_000_000n]));
    expect(await totals()).toMatchObject({ held: 0n });
  });

  it('comes from the slow first model, if the hedge finds nothing', async () => {
    const hedging = { maxShare: 1, 'a/find': { afterMs: 50, with: 'b/find', maxExtraCost: '1' } } as const;
    const slow = { ...FOUND, afterMs: 2_000 };
    const { search, seen, charges, totals } = open([slow, EMPTY], { hedging });
    expect(await search()).toMatchObject({ model: 'a/find', results: [PAGE] });
    expect(seen.asked).toEqual(['a/find', 'b/find', 'a/find']);
    expect(await charges()).toMatchObject([{ amount: 5_000_000n }]);
    expect(await totals()).toMatchObject({ held: 0n });
  });
});

const finder = fc
  .record({
    end: fc.constantFrom<End>('empty', 'empty', 'error', 'found'),
    price: fc.bigInt({ min: 1n, max: 9_000_000n }),
    share: fc.bigInt({ min: 0n, max: 4n }),
  })
  // A reported cost of nothing is believed of an empty reply alone.
  .map(
    ({ share, ...each }): Finder => ({
      ...each,
      cost: (each.price * share + 3n) / 4n || (each.end === 'found' ? 1n : 0n),
    }),
  );

describe('over any models, budgets and callers', () => {
  it('charges the sum of what came, within one hold that is ended once', async () => {
    const seenEnds = { budgets: 0, hungUp: 0, several: 0 };
    const story = fc.record({
      finders: fc.array(finder, { minLength: 1, maxLength: SLUGS.length }),
      maxAttempts: fc.integer({ min: 1, max: 5 }),
      credits: fc.option(fc.bigInt({ min: 1n, max: 20_000_000n }), { nil: undefined }),
      sort: fc.option(fc.constant('price' as const), { nil: undefined }),
      hangsUpAt: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ finders, maxAttempts, credits, sort, hangsUpAt }) => {
        const budget = formatUsd(credits ?? 10_000_000_000n);
        const { search, seen, money, charges, totals, drain } = open(finders, { credits: budget, maxAttempts });
        const caller = new AbortController();
        seen.onAsked = (count) => count === hangsUpAt && caller.abort();
        const call = { signal: caller.signal, idempotencyKey: 'one', ...(sort && { routing: { sort } }) };
        const ended = await reasonOf(search(call));
        await drain();

        const ends = seen.asked.map((slug) => finders[SLUGS.indexOf(slug as never)]?.end);
        const paid = ends.filter((end) => end !== 'error').length;
        // Nothing is asked after results, nothing twice, and no more than is allowed.
        expect(ends.slice(0, -1)).not.toContain('found');
        expect(new Set(seen.asked).size).toBe(seen.asked.length);
        expect(ends.length).toBeLessThanOrEqual(maxAttempts);
        // With enough money, it goes on as long as it may.
        const mayGoOn = credits === undefined && hangsUpAt === undefined && ends.at(-1) !== 'found';
        expect(mayGoOn ? ends.length : 'other').toBe(mayGoOn ? Math.min(maxAttempts, finders.length) : 'other');
        expect(money.ends).toBe(money.holds.length);
        const [held = 0n] = money.holds;
        const charged = (await charges()).map(({ amount }) => amount);
        expect(charged).toEqual(paid === 0 ? [] : [seen.billed]);
        expect(seen.billed).toBeLessThanOrEqual(held);
        expect(held).toBeLessThanOrEqual(credits ?? held);
        expect(await totals()).toMatchObject({ usage: seen.billed, held: 0n });

        // The same call again is replayed, and costs nothing.
        const again = ended === 'answered' ? await reasonOf(search({ ...call, signal: undefined })) : ended;
        expect([again, money.holds.length, await totals()]).toMatchObject([
          ended,
          held > 0n ? 1 : 0,
          { usage: seen.billed },
        ]);
        seenEnds.budgets += credits !== undefined && held > 0n ? 1 : 0;
        seenEnds.hungUp += caller.signal.aborted ? 1 : 0;
        seenEnds.several += paid > 1 ? 1 : 0;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(...Object.values(seenEnds))).toBeGreaterThan(10);
  });
});
