import { describe, expect, it } from 'vitest';
import { type GatewayOptions, type KeyIdentity, memoryApiKeys, memoryLedger } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { askOverHttp } from './ask-over-http.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start, whileAdvancing } from './scripted-gateway.js';

/** Each answer costs $0.005. */
const PRICE = 5_000_000n;
const TEAM = { organizationId: 'acme', id: 'team', limit: '0.012', limitReset: 'monthly' } as const;
const USER = { organizationId: 'acme', id: 'user', limit: '1.00' };
const OTHER_KEY = 'another-secret-of-twenty';
const turn = () => new Promise(setImmediate);

/** Two keys of one team, of which one is also of a user. */
const keysOf = (...set: (typeof TEAM | (typeof USER & { mode?: 'warn' }))[]) =>
  memoryApiKeys(
    [
      { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', budgets: ['user', 'team'] },
      { apiKey: OTHER_KEY, id: 'other', label: 'other', organizationId: 'acme', budgets: ['team'] },
    ],
    { budgets: set },
  );

function begin(replies: Parameters<typeof scripted>[1] = [OUTCOME], options: Partial<GatewayOptions> = {}) {
  const exa = scripted('exa', replies);
  const started = start([exa.provider], { apiKeys: keysOf(TEAM, USER), ...options });
  const { ledger } = started;
  const budgets = async (...ids: string[]) => {
    const asked = ids.map((id) => ({ id, limitReset: null }));
    return (await ledger.budgetTotals('acme', asked)).map(({ usage, held }) => [usage, held]);
  };
  const charges = async () =>
    (await ledger.entries()).entries.flatMap((entry) => (entry.kind === 'charge' ? [entry] : []));
  return { ...started, exa, budgets, charges };
}

/** A reply that the test gives. */
function waiting() {
  const replies: ((outcome: AnswerOutcome) => void)[] = [];
  return { replies, reply: () => new Promise<AnswerOutcome>((resolve) => replies.push(resolve)) };
}

describe('a call', () => {
  it('counts in each budget of its key, once, and frees what it held', async () => {
    const { ask, budgets, charges, gateway, events, clock } = begin([failure('upstream_error'), OUTCOME]);
    await whileAdvancing(clock, ask('exa/answer'));
    await gateway.answer({ apiKey: OTHER_KEY, model: 'exa/answer', query: 'When?' });
    expect(await budgets('team', 'user')).toEqual([
      [2n * PRICE, 0n],
      [PRICE, 0n],
    ]);
    expect((await charges()).map((entry) => entry.budgets)).toEqual([['team', 'user'], ['team']]);
    await gateway.close();
    const told = events.flatMap((event) => (event.type === 'request_finished' ? [event.budgets] : []));
    expect(told).toEqual([['user', 'team'], ['team']]);
  });

  it('is refused by the first budget of its key without room, and costs nothing', async () => {
    const { gateway, ask, totals, exa, charges } = begin();
    for (let call = 0; call < 2; call += 1) await ask('exa/answer');
    const others = gateway.answer({ apiKey: OTHER_KEY, model: 'exa/answer', query: 'When?' });
    await expect(others).rejects.toMatchObject({ reason: 'budget_exceeded', details: { budget: 'team' } });
    const standing = { id: 'team', mode: 'enforce', usage: 0.01, limit: 0.012, limitRemaining: 0.002 };
    const resets = { limitReset: 'monthly', resetsAt: '2026-12-01T00:00:00Z' };
    expect(await gateway.key({ apiKey: OTHER_KEY })).toMatchObject({
      usage: 0,
      budgets: [{ ...standing, ...resets }],
      boundBy: 'budget:team',
    });
    expect(await reasonOf(ask('exa/answer'))).toBe('budget_exceeded');
    expect([exa.calls.length, (await charges()).length, (await totals()).usage]).toEqual([2, 2, 2n * PRICE]);
  });

  it('is refused by no budget that only warns', async () => {
    const apiKeys = keysOf({ ...TEAM, limit: '1.00' }, { ...USER, limit: '0', mode: 'warn' });
    const { ask, budgets } = begin([OUTCOME], { apiKeys });
    await ask('exa/answer');
    expect(await budgets('user')).toEqual([[PRICE, 0n]]);
  });

  it('lets a cheaper model answer where a budget has no room for the dearest', async () => {
    const apiKeys = keysOf({ ...TEAM, limit: '0.001' }, USER);
    const cheap = scripted('cheap', [OUTCOME], { request: '0.001' });
    const dear = scripted('dear', [OUTCOME]);
    const { ask } = start([dear.provider, cheap.provider], {
      apiKeys,
      fallbacks: { 'dear/answer': ['cheap/answer'] },
    });
    expect(await ask('dear/answer')).toMatchObject({ model: 'cheap/answer', usage: { cost: 0.001 } });
    expect(await reasonOf(ask('dear/answer'))).toBe('budget_exceeded');
  });
});

describe('the budgets of a key', () => {
  it('bind shared and cached answers, which callers with other budgets may get', async () => {
    const { replies, reply } = waiting();
    const reuse = { cache: { ttlMs: 60_000, price: '0.5' }, coalescing: { sharedPrice: '0.5' } };
    const { gateway, exa, budgets, charges } = begin([reply], reuse);
    const answer = (apiKey: string | KeyIdentity) => gateway.answer({ apiKey, model: 'exa/answer', query: 'When?' });
    const calls = [answer(OTHER_KEY), answer(KEY)];
    await turn();
    for (const end of replies) end(OUTCOME);
    await Promise.all(calls);
    await answer({ id: 'ada', organizationId: 'acme', budgets: [{ id: 'bob', limit: '1' }] });
    expect(exa.calls).toHaveLength(1);
    expect((await charges()).map((entry) => `${entry.costSource} ${entry.budgets?.join()}`).sort()).toEqual([
      'cached bob',
      'flat team',
      'shared team,user',
    ]);
    expect(await budgets('team', 'user', 'bob')).toEqual([
      [PRICE + PRICE / 2n, 0n],
      [PRICE / 2n, 0n],
      [PRICE / 2n, 0n],
    ]);
  });

  it('bind asynchronous answers', async () => {
    const { gateway, budgets, clock, ledger } = begin([OUTCOME], { endpoints: { asyncAnswers: true } });
    for (let call = 0; call < 2; call += 1) {
      const { status } = await askOverHttp(gateway, { headers: { prefer: 'respond-async' } });
      expect(status).toBe(202);
    }
    await whileAdvancing(clock, gateway.close());
    expect(await budgets('team', 'user')).toEqual([
      [2n * PRICE, 0n],
      [2n * PRICE, 0n],
    ]);
    const again = begin([OUTCOME], { ledger, endpoints: { asyncAnswers: true } });
    const { status } = await askOverHttp(again.gateway, { headers: { prefer: 'respond-async' } });
    expect(status).toBe(402);
  });

  it('may change from call to call of an identity, as its limit may', async () => {
    const { gateway, budgets } = begin();
    const answer = (...wanted: NonNullable<KeyIdentity['budgets']>) => {
      const apiKey = { id: 'service', organizationId: 'acme', budgets: wanted };
      return reasonOf(gateway.answer({ apiKey, model: 'exa/answer', query: 'When?' }));
    };
    expect(await answer({ id: 'ada', limit: '0.005' })).toBe('answered');
    expect(await answer({ id: 'ada', limit: '0.005' })).toBe('budget_exceeded');
    expect(await answer({ id: 'bob', limit: '0.005' })).toBe('answered');
    expect(await answer({ id: 'ada', limit: '0.01' })).toBe('answered');
    expect(await answer()).toBe('answered');
    expect(await budgets('ada', 'bob')).toEqual([
      [2n * PRICE, 0n],
      [PRICE, 0n],
    ]);
  });

  it('start over with the calendar, and keep what a key has spent that has left', async () => {
    const apiKeys = keysOf(TEAM, USER);
    const { ask, gateway, clock, budgets } = begin([OUTCOME], { apiKeys, keyCacheMaxAgeMs: 0 });
    for (let call = 0; call < 2; call += 1) await ask('exa/answer');
    await apiKeys.updateKey('key', { budgets: ['user'] });
    const others = () => reasonOf(gateway.answer({ apiKey: OTHER_KEY, model: 'exa/answer', query: 'When?' }));
    expect([await reasonOf(ask('exa/answer')), await others()]).toEqual(['answered', 'budget_exceeded']);
    await clock.advance(10 * 86_400_000);
    expect([await others(), await budgets('team', 'user')]).toEqual([
      'answered',
      [
        [3n * PRICE, 0n],
        [3n * PRICE, 0n],
      ],
    ]);
  });

  it('cost no read where there are none', async () => {
    const caller = { id: 'ada', organizationId: 'acme' };
    const real = memoryLedger({ credits: { acme: '1' } });
    const ledger = { ...real, budgetTotals: () => Promise.reject(new Error('read')) };
    const { gateway, charges } = begin([OUTCOME], { ledger });
    await gateway.answer({ apiKey: caller, model: 'exa/answer', query: 'When?' });
    expect(await gateway.key({ apiKey: caller })).toMatchObject({ budgets: [], boundBy: 'organization_credits' });
    expect(await charges()).toEqual([expect.not.objectContaining({ budgets: expect.anything() })]);
  });
});
