import { createFakeClock, type FakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatewayEvent, type GatewayOptions, memoryApiKeys, memoryLedger, parseUsd } from '../src/index.js';
import { memoryRequestLog } from '../src/ledger/index.js';
import type { AnswerOutcome, Provider, UpstreamError } from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { failure, OUTCOME, reasonOf, scripted, start, whileAdvancing } from './scripted-gateway.js';

type Byok = NonNullable<GatewayOptions['byok']>;
type Reply = () => AnswerOutcome | UpstreamError | Promise<AnswerOutcome | UpstreamError>;

const good = () => OUTCOME;
const costing = (usd: string) => (): AnswerOutcome => ({ ...OUTCOME, cost: { reported: parseUsd(usd) } });
const REJECTED = () => failure('upstream_auth_failed', { status: 401 });
const PRICE = 5_000_000n;

/** A vendor that replies to each key as the test says: by default with an answer. */
function vendor(id: string, replies: Record<string, Reply> = {}, more: Partial<Provider> = {}) {
  const asked: string[] = [];
  const { provider } = scripted(id, [OUTCOME]);
  const own: Provider = {
    ...provider,
    ownKeys: true,
    ...more,
    answer: {
      async answer(_call, { apiKey = 'operator' }) {
        asked.push(apiKey);
        const reply = await (replies[apiKey] ?? good)();
        if (reply instanceof Error) throw reply;
        return reply;
      },
    },
  };
  return { provider: own, asked, replies, times: (key: string) => asked.filter((each) => each === key).length };
}

const ORGANIZATIONS = ['acme', 'globex', 'initech'] as const;
const tokenOf = (organizationId: string) => `a-secret-of-${organizationId}-long-enough`;

/** A vault, with the number of its look-ups. */
function vaultOf(keys: Record<string, unknown>) {
  const found: string[] = [];
  const find = (organizationId: string, provider: string) => {
    found.push(`${organizationId} ${provider}`);
    const key = keys[`${organizationId} ${provider}`] ?? keys[organizationId];
    if (typeof key === 'function') return (key as () => Promise<never>)();
    return Promise.resolve((typeof key === 'string' ? { apiKey: key } : key) as { apiKey: string } | undefined);
  };
  return { keys, find, found };
}

/** A gateway of three organizations, of which those in the vault have keys of their own. */
function open(
  providers: readonly Provider[],
  vault: Byok['keys'],
  {
    byok,
    clock = createFakeClock(),
    ...more
  }: Partial<Omit<GatewayOptions, 'byok' | 'clock'>> & {
    readonly byok?: Partial<Byok>;
    readonly clock?: FakeClock;
  } = {},
) {
  const ledger = memoryLedger({ credits: { acme: '10', globex: '10', initech: '10' }, clock });
  const apiKeys = memoryApiKeys(
    ORGANIZATIONS.map((id) => ({ apiKey: tokenOf(id), id: `of-${id}`, label: id, organizationId: id })),
  );
  const opened = start(providers, {
    clock,
    ledger,
    apiKeys,
    byok: { keys: vault, ...byok },
    expireHoldsEveryMs: 0,
    ...more,
  });
  const ask = (organizationId: string, asked: object = {}) =>
    opened.gateway.answer({ apiKey: tokenOf(organizationId), model: 'exa/answer', query: 'When?', ...asked });
  const entries = async (organizationId: string) =>
    (await ledger.entries({ organizationId })).entries.filter(({ kind }) => kind !== 'grant');
  const over = async (path: string, { organizationId = 'acme', ...body }: Record<string, unknown>) => {
    const method = path === 'models' ? 'GET' : 'POST';
    const request = requestOf(path, { method, apiKey: tokenOf(String(organizationId)), body });
    return bodyText(await opened.gateway.handle(request));
  };
  return { ...opened, ledger, clock, ask, entries, over };
}

const ofType = <T extends GatewayEvent['type']>(events: readonly GatewayEvent[], type: T) =>
  events.filter((event): event is Extract<GatewayEvent, { type: T }> => event.type === type);

describe('a key that its vendor refuses', () => {
  it('pauses nobody else: 1,000 calls of each of three organizations', async () => {
    const exa = vendor('exa', { revoked: REJECTED });
    const { ask, gateway, events, entries } = open([exa.provider], vaultOf({ acme: 'revoked', globex: 'good' }));
    const reasons: Record<string, unknown[]> = { acme: [], globex: [], initech: [] };
    for (let call = 0; call < 1_000; call += 1)
      for (const id of ORGANIZATIONS) reasons[id]?.push(await reasonOf(ask(id)));
    const seen = ORGANIZATIONS.map((id) => [...new Set(reasons[id])]);
    expect(seen).toEqual([['upstream_auth_failed', 'upstream_unavailable'], ['answered'], ['answered']]);
    expect([exa.times('revoked'), exa.times('good'), exa.times('operator')]).toEqual([5, 1_000, 1_000]);
    expect(gateway.status().providers).toEqual([
      { id: 'exa', state: 'serving', pausedUntilMs: null, pausedForOrganizationIds: [], keys: undefined },
    ]);
    await gateway.close();
    expect(ofType(events, 'provider_paused')).toMatchObject([{ provider: 'exa', organizationId: 'acme', byok: true }]);
    expect(await entries('acme')).toEqual([]);
    expect((await entries('globex')).every(({ amount }) => amount === 0n)).toBe(true);
    expect((await entries('initech')).every(({ amount }) => amount === PRICE)).toBe(true);
  });

  it('is tried again when it is replaced, and stays paused when it is found to be the same', async () => {
    const exa = vendor('exa', { revoked: REJECTED });
    const vault = vaultOf({ acme: 'revoked' });
    const setup = { providerFailureThreshold: 1, providerCooldownMs: 3_600_000 };
    const { ask, clock } = open([exa.provider], vault, setup);
    expect(await reasonOf(ask('acme'))).toBe('upstream_auth_failed');
    await clock.advance(61_000);
    expect(await reasonOf(ask('acme'))).toBe('upstream_unavailable');
    expect(vault.found).toHaveLength(2);
    vault.keys['acme'] = 'new';
    await clock.advance(59_000);
    expect(await reasonOf(ask('acme'))).toBe('upstream_unavailable');
    await clock.advance(1_001);
    expect(await reasonOf(ask('acme'))).toBe('answered');
  });
});

describe('the keys of organizations', () => {
  it('are looked up once a minute, or at once after a change that the gateway is told of', async () => {
    const exa = vendor('exa');
    const vault = vaultOf({ acme: 'first' });
    const { ask, clock, gateway } = open([exa.provider], vault);
    await Promise.all(Array.from({ length: 50 }, () => ask('acme')));
    await ask('initech');
    await ask('initech');
    expect(vault.found).toEqual(['acme exa', 'initech exa']);
    vault.keys['acme'] = undefined;
    await clock.advance(60_000);
    await ask('acme');
    await clock.advance(1);
    await ask('acme');
    expect([exa.times('first'), exa.times('operator')]).toEqual([51, 3]);
    vault.keys['acme'] = 'second';
    gateway.invalidateTenantKey('acme', 'exa');
    await ask('acme');
    expect(exa.times('second')).toBe(1);
  });

  it('are not asked for where the provider cannot take them, and nowhere without the option', async () => {
    const vault = vaultOf({ acme: 'own' });
    const exa = vendor('exa', {}, { ownKeys: false });
    const { ask } = open([exa.provider], vault);
    await ask('acme');
    expect([vault.found, exa.asked]).toEqual([[], ['operator']]);
    expect(await reasonOf(ask('acme', { routing: { keys: 'own' } }))).toBe('provider_key_missing');
    const plain = start([exa.provider]);
    const asked = plain.gateway.answer({
      apiKey: 'a-secret-of-twenty-characters',
      model: 'exa/answer',
      query: 'When?',
      routing: { keys: 'own' },
    });
    expect(await reasonOf(asked)).toBe('provider_key_missing');
  });

  it.each<[string, unknown]>([
    ['throws', () => Promise.reject(new Error('no vault'))],
    [
      'throws at once',
      () => {
        throw new Error('no vault');
      },
    ],
    ['hangs', () => new Promise(() => undefined)],
    ['gives a key with a space', 'a key'],
    ['gives an empty key', { apiKey: '' }],
    ['gives no key', { token: 'x' }],
    ['gives a number', 7],
    ['gives a wrong fee', { apiKey: 'good', fee: { share: '2' } }],
    ['gives a fee above the cost of any call', { apiKey: 'good', fee: { request: '10001' } }],
  ])('stop a call where the vault %s, and no key is sent', async (_what, key) => {
    const [exa, you] = [vendor('exa'), vendor('you')];
    const vault = vaultOf({ 'acme exa': key });
    const { ask, clock, logged, entries } = open([exa.provider, you.provider], vault, {
      fallbacks: { 'you/answer': ['exa/answer'] },
    });
    const calls = Array.from({ length: 20 }, () => reasonOf(ask('acme')));
    expect(new Set(await whileAdvancing(clock, Promise.all(calls)))).toEqual(new Set(['provider_key_unavailable']));
    await expect(ask('acme')).rejects.toMatchObject({ status: 503, retryAfterMs: 1_000 });
    expect([exa.asked, vault.found.filter((each) => each === 'acme exa')]).toEqual([[], ['acme exa']]);
    expect(await entries('acme')).toEqual([]);
    // Another provider still serves, and the next look-up may succeed.
    expect(await ask('acme', { model: 'you/answer' })).toMatchObject({ provider: 'you' });
    vault.keys['acme exa'] = 'good';
    await clock.advance(1_001);
    expect(await reasonOf(ask('acme'))).toBe('answered');
    expect([exa.asked, logged]).toEqual([['good'], ['the key of an organization could not be found']]);
  });
});

it('the hold of a call lasts, however long its key was waited for', async () => {
  const clock = createFakeClock();
  const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => clock.schedule(ms, () => resolve(value)));
  const exa = vendor('exa', { own: () => after(5_000, OUTCOME) });
  const keys = { find: () => after(100_000, { apiKey: 'own' }) };
  const byok = { fee: { request: '0.001' }, timeoutMs: 600_000 } as const;
  const { ask, entries } = open([exa.provider], keys, { clock, byok, holdGraceMs: 0, expireHoldsEveryMs: 1_000 });
  expect(await whileAdvancing(clock, reasonOf(ask('acme')))).toBe('answered');
  expect(await entries('acme')).toMatchObject([{ kind: 'charge', amount: 1_000_000n }]);
});

describe('the fee', () => {
  const calls = fc.record({
    share: fc.bigInt({ min: 0n, max: 1_000_000_000n }),
    request: fc.bigInt({ min: 0n, max: 10_000_000n }),
    cost: fc.option(fc.bigInt({ min: 1n, max: 90_000_000n })),
    isShare: fc.boolean(),
    overrun: fc.constantFrom('charge' as const, 'absorb' as const),
  });

  it.each<[string, Byok['fee'], bigint, string]>([
    ['a share of the list price', { share: '0.05' }, 250_000n, ''],
    ['a share of the reported cost, rounded up', { share: '0.05' }, 500_001n, '0.010000001'],
    ['an amount for each call', { request: '0.0005' }, 500_000n, '0.010000001'],
    ['nothing', '0', 0n, '0.010000001'],
    ['nothing by default', undefined, 0n, ''],
  ])('is %s, without markup', async (_what, fee, amount, cost) => {
    const exa = vendor('exa', { own: cost === '' ? good : costing(cost) });
    const { ask, entries, events, gateway } = open([exa.provider], vaultOf({ acme: 'own' }), {
      byok: { fee },
      markup: '3',
    });
    expect((await ask('acme')).usage).toEqual({ cost: Number(amount) / 1e9, byok: true });
    expect((await ask('initech')).usage).toEqual({ cost: 0.015 });
    const tenantCost = parseUsd(cost || '0.005');
    expect(await entries('acme')).toMatchObject([{ kind: 'charge', amount, upstreamCost: 0n, tenantCost }]);
    expect((await entries('initech'))[0]).not.toHaveProperty('tenantCost');
    await gateway.close();
    const finished = ofType(events, 'request_finished');
    expect(finished[0]).toMatchObject({ byok: true, cost: amount, tenantCost, upstreamCost: 0n, loss: 0n });
    expect(finished[1]?.byok).toBeUndefined();
    expect(ofType(events, 'attempt_finished').map(({ byok }) => byok)).toEqual([true, undefined]);
  });

  it('is what its parts say of what the vendor bills, at most the hold where overruns are absorbed, and never a loss', () =>
    fc.assert(
      fc.asyncProperty(calls, async ({ share, request, cost, isShare, overrun }) => {
        const usd = (nanos: bigint) => `${nanos / 1_000_000_000n}.${`${nanos % 1_000_000_000n}`.padStart(9, '0')}`;
        const exa = vendor('exa', { own: cost === null ? good : () => ({ ...OUTCOME, cost: { reported: cost } }) });
        const fee = isShare ? { share: usd(share) } : { request: usd(request) };
        const { ask, entries } = open([exa.provider], vaultOf({ acme: { apiKey: 'own', fee } }), {
          overrun,
          markup: '1.37',
        });
        await ask('acme');
        const feeOf = (billed: bigint) => (isShare ? (billed * share + 999_999_999n) / 1_000_000_000n : request);
        const [held, due] = [feeOf(PRICE), feeOf(cost ?? PRICE)];
        const amount = overrun === 'absorb' && due > held ? held : due;
        const charge = { kind: 'charge', amount, upstreamCost: 0n, tenantCost: cost ?? PRICE };
        expect(await entries('acme')).toMatchObject([charge]);
      }),
      { numRuns: 200 },
    ));

  it('is held, counts in max_cost, needs no credits where it is zero, and is listed', async () => {
    const exa = vendor('exa');
    const keys = vaultOf({
      acme: { apiKey: 'own', fee: { request: '9' } },
      globex: { apiKey: 'own', fee: { share: '0.050' } },
    });
    const { ask, over, entries } = open([exa.provider], keys);
    expect(await reasonOf(ask('acme', { routing: { maxCost: '8.99' } }))).toBe('max_cost_exceeded');
    await ask('acme');
    expect(await reasonOf(ask('acme'))).toBe('organization_credits_exhausted');
    expect(await reasonOf(ask('globex', { routing: { maxCost: '0.00025' } }))).toBe('answered');
    const listed = [await over('models', {}), await over('models', { organizationId: 'globex' })];
    expect(listed[0]).toContain('"byok":{"request":"9"}');
    expect(listed[1]).toContain('"byok":{"share":"0.05"}');
    expect(await over('models', { organizationId: 'initech' })).not.toContain('byok');
    expect(await entries('globex')).toMatchObject([{ amount: 250_000n }]);
    const free = open([vendor('exa').provider], vaultOf({ acme: 'own' }), {
      ledger: memoryLedger({ credits: {} }),
    });
    expect(await reasonOf(free.ask('acme'))).toBe('answered');
    expect(await reasonOf(free.ask('initech'))).toBe('organization_credits_exhausted');
  });

  it('of a kept or shared answer is the same part of it, which has no markup', async () => {
    const exa = vendor('exa', { own: async () => (await new Promise(setImmediate), OUTCOME) });
    const { ask, entries } = open([exa.provider], vaultOf({ acme: 'own' }), {
      byok: { fee: { share: '0.1' } },
      markup: '2',
      cache: { ttlMs: 60_000, price: '0.5' },
      coalescing: { sharedPrice: '0.2' },
    });
    const both = await Promise.all([ask('acme'), ask('acme')]);
    expect(both.map(({ usage }) => usage)).toEqual([
      { cost: 0.0005, byok: true },
      { cost: 0.0001, byok: true },
    ]);
    expect((await ask('acme')).usage).toEqual({ cost: 0.00025, byok: true });
    const known = { upstreamCost: 0n };
    const charges = (await entries('acme')).filter((entry) => entry.kind === 'charge');
    expect(charges.toSorted((a, b) => (a.costSource < b.costSource ? -1 : 1))).toMatchObject([
      { ...known, costSource: 'cached', tenantCost: 0n },
      { ...known, costSource: 'flat', tenantCost: PRICE },
      { ...known, costSource: 'shared', tenantCost: 0n },
    ]);
    expect(exa.times('own')).toBe(1);
    await ask('acme', { routing: { keys: 'own' } });
    expect(exa.times('own')).toBe(2);
  });
});

describe('the key of the operator', () => {
  it.each<[boolean, 'own' | 'shared' | undefined, boolean, string, string[]]>([
    // Whether it may follow, what the caller wants, whether the organization has a key, and what comes of it.
    [false, undefined, false, 'answered', ['operator']],
    [false, undefined, true, 'upstream_auth_failed', ['revoked']],
    [false, 'own', false, 'provider_key_missing', []],
    [false, 'own', true, 'upstream_auth_failed', ['revoked']],
    [false, 'shared', false, 'answered', ['operator']],
    [false, 'shared', true, 'shared_keys_not_allowed', []],
    [true, undefined, true, 'answered', ['revoked', 'operator']],
    [true, 'own', true, 'upstream_auth_failed', ['revoked']],
    [true, 'shared', true, 'answered', ['operator']],
  ])('with sharedKeys %s, routing.keys %s and an own key %s: %s', async (sharedKeys, keys, hasKey, reason, asked) => {
    const exa = vendor('exa', { revoked: REJECTED });
    const vault = vaultOf(hasKey ? { acme: 'revoked' } : {});
    const { ask, entries } = open([exa.provider], vault, { byok: { sharedKeys } });
    expect(await reasonOf(ask('acme', keys && { routing: { keys } }))).toBe(reason);
    expect(exa.asked).toEqual(asked);
    const paid = asked.includes('operator') ? [{ kind: 'charge', amount: PRICE, upstreamCost: PRICE }] : [];
    expect(await entries('acme')).toMatchObject(paid);
  });

  it('is in the hold before the call, follows no other failure, and no empty reply', async () => {
    const search = (replies: Provider['search']) => ({
      search: {
        models: [{ ...vendor('exa').provider.models[0]!, slug: 'exa/search', maxResults: 5 }],
        search: replies!.search,
      },
    });
    const asked: unknown[] = [];
    const empty = {
      search: async (_call: unknown, { apiKey }: { apiKey?: string }) => (
        asked.push(apiKey), { results: [], cost: {} }
      ),
    };
    const exa = vendor('exa', { own: () => failure('upstream_error'), revoked: REJECTED }, search(empty as never));
    const { ask, clock, gateway, events } = open([exa.provider], vaultOf({ acme: 'own', globex: 'revoked' }), {
      byok: { sharedKeys: true },
      fallbackOn: ['error', 'empty'],
      ledger: memoryLedger({ credits: { acme: '1', globex: '0.004' } }),
    });
    expect(await whileAdvancing(clock, reasonOf(ask('acme')))).toBe('upstream_error');
    expect(exa.times('operator')).toBe(0);
    const found = await gateway.search({ apiKey: tokenOf('acme'), model: 'exa/search', query: 'When?' });
    expect([found.results, asked]).toEqual([[], ['own']]);
    // There is room for the fee alone: the price of the operator's key was not held.
    expect(await reasonOf(ask('globex'))).toBe('upstream_auth_failed');
    await gateway.close();
    expect(ofType(events, 'attempt_finished').at(-1)).toMatchObject({ byok: true });
    expect(exa.times('operator')).toBe(0);
  });

  it('keeps its limits to itself: own keys take connections alone', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = () => released.then(() => OUTCOME);
    const limits = { maxConcurrent: 1, rateLimit: { requests: 1, periodMs: 60_000 }, maxQueueMs: 0 };
    const exa = vendor(
      'exa',
      { own: held, operator: held },
      { limits, keys: { pick: 'first', list: [{ name: 'main', maxConcurrent: 1 }] } },
    );
    const { ask, clock } = open([exa.provider], vaultOf({ acme: 'own' }), { maxConnectionsPerProvider: 40 });
    const first = reasonOf(ask('initech'));
    const own = Array.from({ length: 30 }, () => reasonOf(ask('acme')));
    await clock.advance(0);
    expect([exa.times('own'), exa.times('operator')]).toEqual([30, 1]);
    expect(await reasonOf(ask('initech'))).toBe('upstream_rate_limited');
    expect(await reasonOf(ask('acme'))).toBe('connection_wait_exceeded');
    release();
    expect(new Set(await Promise.all([first, ...own]))).toEqual(new Set(['answered']));
    // None of the slots is lost.
    expect(await Promise.all(Array.from({ length: 30 }, () => reasonOf(ask('acme'))))).toEqual(
      Array(30).fill('answered'),
    );
  });
});

it('shows the key of an organization nowhere', async () => {
  const SECRET = 'planted-key-of-acme';
  const shown: unknown[] = [];
  const echo = () =>
    exa.times(SECRET) === 1
      ? { ...OUTCOME, upstreamRequestId: `of ${SECRET}` }
      : failure('upstream_error', { detail: 'no' });
  const exa = vendor('exa', { [SECRET]: echo, good: costing('900') });
  const log = memoryRequestLog();
  const span = {
    end: (event: unknown) => void shown.push(event),
    run: <T>(work: () => T) => work(),
    startAttempt: (begun: unknown) => (shown.push(begun), span),
  };
  const vault = vaultOf({ acme: SECRET, globex: { apiKey: 'good' } });
  const { ask, over, clock, gateway, events, ledger } = open([exa.provider], vault, {
    requestLog: { log },
    tracer: { startRequest: (begun) => (shown.push(begun), span) },
    logger: { warn: (...line) => void shown.push(line), error: (...line) => void shown.push(line) },
    providerFailureThreshold: 2,
  });
  const body = { model: 'exa/answer', query: 'When?' };
  for (let call = 0; call < 4; call += 1) shown.push(await whileAdvancing(clock, reasonOf(ask('acme'))));
  shown.push(await whileAdvancing(clock, over('answer', body)));
  vault.keys['acme'] = { apiKey: `${SECRET} `, fee: '0' };
  gateway.invalidateTenantKey('acme', 'exa');
  shown.push(await whileAdvancing(clock, over('answer', body)), await over('models', {}));
  shown.push(await ask('globex'), gateway.status(), gateway.models());
  await whileAdvancing(clock, gateway.close());
  shown.push(events, (await ledger.entries({})).entries, (await log.find({}, { limit: 100 })).rows);
  const { inspect } = await import('node:util');
  const text = inspect(shown, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null });
  expect([text.includes(SECRET), text.includes('provider_key_unavailable'), exa.times(SECRET) > 1]).toEqual([
    false,
    true,
    true,
  ]);
});
