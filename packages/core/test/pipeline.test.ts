import { describe, expect, it } from 'vitest';
import { createGateway, type GatewayOptions, type Ledger, memoryApiKeys, memoryLedger } from '../src/index.js';

import {
  failure,
  KEY,
  OUTCOME,
  reasonOf,
  scripted,
  start,
  UPSTREAM_REASONS,
  whileAdvancing,
} from './scripted-gateway.js';

describe('a successful call', () => {
  it('answers, charges the flat price once and leaves nothing held', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask, totals, ledger } = start([exa.provider]);
    const answer = await ask('exa/answer');
    expect(answer).toEqual({
      id: expect.stringMatching(/^ans_[0-9A-HJKMNP-TV-Z]{26}$/),
      model: 'exa/answer',
      provider: 'exa',
      answer: 'Open since 2021 [1].',
      citations: [{ title: 'A', url: 'https://example.org/a', snippet: 'Opened.' }],
      usage: { cost: 0.005 },
    });
    expect(exa.calls.map(({ query }) => query)).toEqual(['When did it open?']);
    expect(await totals()).toEqual({ credits: 10_000_000_000n, usage: 5_000_000n, held: 0n, key: 5_000_000n });
    const { entries } = await ledger.entries({ keyId: 'key' });
    expect(entries).toEqual([
      expect.objectContaining({ kind: 'charge', id: answer.id, costSource: 'flat', late: false }),
    ]);
  });

  it.each([
    ['the cost the provider reports', { ...OUTCOME, cost: { reported: 7_000_001n } }, '1', 7_000_001n, 'reported'],
    ['the reported cost with markup, rounded up', { ...OUTCOME, cost: { reported: 7n } }, '1.1', 8n, 'reported'],
    ['the flat price with markup', OUTCOME, '1.5', 7_500_000n, 'flat'],
  ])('charges %s', async (_name, outcome, markup, cost, costSource) => {
    const { ask, totals, ledger } = start([scripted('exa', [outcome]).provider], { markup });
    await ask('exa/answer');
    expect((await totals()).usage).toBe(cost);
    expect((await ledger.entries({ keyId: 'key' })).entries).toEqual([
      expect.objectContaining({ amount: cost, costSource }),
    ]);
  });

  it('charges an organization its own markup', async () => {
    const { ask, totals } = start([scripted('exa', [OUTCOME]).provider], {
      markup: '3',
      organizationMarkups: { acme: '2' },
    });
    expect((await ask('exa/answer')).usage.cost).toBe(0.01);
    expect((await totals()).usage).toBe(10_000_000n);
  });

  it('charges a dynamic model by its usage, and the ceiling with an event when the cost is unknown', async () => {
    const price = {
      typical: '0.01',
      ceiling: '0.20',
      perMillionInputTokens: '1',
      perMillionOutputTokens: '2',
      perSearch: '0.005',
    };
    const usage = { inputTokens: 1_000, outputTokens: 500, searches: 2 };
    const { ask, totals, events, gateway } = start([
      scripted('sonar', [{ ...OUTCOME, cost: { usage } }, OUTCOME], price).provider,
    ]);
    expect((await ask('sonar/answer')).usage.cost).toBe(0.012);
    expect((await ask('sonar/answer')).usage.cost).toBe(0.2);
    expect((await totals()).usage).toBe(212_000_000n);
    await gateway.close();
    expect(events).toContainEqual(expect.objectContaining({ type: 'cost_unknown', charged: 200_000_000n }));
  });

  it('warns when the reported cost is far from the computed one', async () => {
    const price = { typical: '0.01', ceiling: '0.20', perMillionInputTokens: '1' };
    const cost = { reported: 6_000_000n, usage: { inputTokens: 216 } };
    const { ask, events, gateway } = start([scripted('sonar', [{ ...OUTCOME, cost }], price).provider]);
    expect((await ask('sonar/answer')).usage.cost).toBe(0.006);
    await gateway.close();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'cost_mismatch', reported: 6_000_000n, computed: 216_000n }),
    );
  });
});

describe('budgets', () => {
  it('serves exactly as many of 200 parallel calls as the money covers', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask, totals } = start([exa.provider], { limit: '0.05', maxInFlight: 1_000 });
    const reasons = await Promise.all(Array.from({ length: 200 }, () => reasonOf(ask('exa/answer'))));
    expect(reasons.filter((reason) => reason === 'answered')).toHaveLength(10);
    expect(new Set(reasons)).toEqual(new Set(['answered', 'budget_in_flight']));
    expect(exa.calls).toHaveLength(10);
    expect((await totals()).key).toBe(50_000_000n);
    expect(await reasonOf(ask('exa/answer'))).toBe('key_limit_reached');
  });
});

describe('failures and fallbacks', () => {
  it.each(UPSTREAM_REASONS)('answers from the fallback after %s and names the serving model', async (reason) => {
    const exa = scripted('exa', [failure(reason)]);
    const backup = scripted('backup', [OUTCOME]);
    const { ask, totals } = start([exa.provider, backup.provider], { fallbacks: { 'exa/answer': ['backup/answer'] } });
    expect(await ask('exa/answer')).toMatchObject({
      model: 'backup/answer',
      provider: 'backup',
      usage: { cost: 0.005 },
    });
    expect([exa.calls.length, backup.calls.length]).toEqual([1, 1]);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it.each(UPSTREAM_REASONS)('charges nothing when %s ends the call', async (reason) => {
    const { ask, totals, clock } = start([scripted('exa', [failure(reason)]).provider]);
    const error: unknown = await whileAdvancing(
      clock,
      ask('exa/answer').catch((caught: unknown) => caught),
    );
    expect(error).toMatchObject({
      reason,
      details: { provider: 'exa', model: 'exa/answer', upstreamStatus: 500, phase: 'headers' },
    });
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n, key: 0n });
  });

  it('makes at most three attempts in all', async () => {
    const exa = scripted('exa', [failure('upstream_error')]);
    const { ask, clock } = start([exa.provider]);
    expect(await whileAdvancing(clock, reasonOf(ask('exa/answer')))).toBe('upstream_error');
    expect(exa.calls).toHaveLength(3);
  });

  it('recovers by a retry when there is no fallback', async () => {
    const exa = scripted('exa', [failure('upstream_unreachable'), OUTCOME]);
    const { ask, clock } = start([exa.provider]);
    expect(await whileAdvancing(clock, reasonOf(ask('exa/answer')))).toBe('answered');
    expect(exa.calls).toHaveLength(2);
  });

  it('ends at the deadline even if the adapter ignores its signal, and records the list price as a loss', async () => {
    const exa = scripted('exa', [() => new Promise(() => undefined)]);
    const { ask, clock, kinds, totals } = start([exa.provider]);
    expect(await whileAdvancing(clock, reasonOf(ask('exa/answer')))).toBe('upstream_timeout');
    expect(exa.calls[0]?.context.signal.aborted).toBe(true);
    expect(await kinds()).toEqual([
      ['grant', 10_000_000_000n],
      ['loss', 5_000_000n],
    ]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('records the cost of failed attempts next to the charge of the answer', async () => {
    const exa = scripted('exa', [failure('upstream_invalid_response', { cost: 3n })]);
    const { ask, kinds } = start([exa.provider, scripted('backup', [OUTCOME]).provider], {
      fallbacks: { 'exa/answer': ['backup/answer'] },
    });
    await ask('exa/answer');
    expect(await kinds()).toEqual(
      expect.arrayContaining([
        ['loss', 3n],
        ['charge', 5_000_000n],
      ]),
    );
  });

  it('skips a failing provider, and answers 503 when no provider is left', async () => {
    const exa = scripted('exa', [failure('upstream_invalid_response')]);
    const { ask, clock, events, gateway } = start([exa.provider], { providerFailureThreshold: 2 });
    await reasonOf(ask('exa/answer'));
    await reasonOf(ask('exa/answer'));
    await expect(ask('exa/answer')).rejects.toMatchObject({ reason: 'upstream_unavailable', retryAfterMs: 30_000 });
    expect(exa.calls).toHaveLength(2);
    await clock.advance(30_000);
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_invalid_response');
    expect(exa.calls).toHaveLength(3);
    await gateway.close();
    expect(events.map(({ type }) => type)).toContain('provider_paused');
  });
});

describe('a ledger that fails', () => {
  const broken = (operations: Partial<Ledger>): Ledger => ({
    ...memoryLedger({ credits: { acme: '10' } }),
    ...operations,
  });

  it('charges nothing for a call with an unconfirmed hold', async () => {
    const real = memoryLedger({ credits: { acme: '10' } });
    const hold: Ledger['hold'] = async (request) => {
      await real.hold(request);
      throw new Error('the connection broke');
    };
    let failures = 2;
    const release: Ledger['release'] = (id, released) =>
      failures-- > 0 ? Promise.reject(new Error('down')) : real.release(id, released);
    const ledger = { ...real, hold, release };
    const { ask, clock, events } = start([scripted('exa', [OUTCOME]).provider], { ledger });
    expect(await reasonOf(ask('exa/answer'))).toBe('ledger_unavailable');
    expect(await real.organizationTotals('acme')).toMatchObject({ held: 5_000_000n });
    await clock.advance(1_000);
    await clock.advance(2_000);
    await clock.advance(3_600_000);
    expect(await real.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    expect(events.map(({ type }) => type)).not.toContain('holds_expired');
  });

  it('answers 503 in time when the ledger hangs', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask, clock } = start([exa.provider], { ledger: broken({ hold: () => new Promise(() => undefined) }) });
    expect(await whileAdvancing(clock, reasonOf(ask('exa/answer')))).toBe('ledger_unavailable');
  });

  it('delivers the answer when the settle fails, and charges later', async () => {
    const real = memoryLedger({ credits: { acme: '10' } });
    let failures = 2;
    const settle: Ledger['settle'] = (id, charged) =>
      failures-- > 0 ? Promise.reject(new Error('down')) : real.settle(id, charged);
    const { ask, clock, events, gateway } = start([scripted('exa', [OUTCOME]).provider], {
      ledger: { ...real, settle },
    });
    expect(await reasonOf(ask('exa/answer'))).toBe('answered');
    expect(await real.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 5_000_000n });
    await clock.advance(1_000);
    await clock.advance(2_000);
    expect(await real.organizationTotals('acme')).toMatchObject({ usage: 5_000_000n, held: 0n });
    await gateway.close();
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['ledger_settle_failed', 'ledger_settle_recovered']),
    );
  });

  it('records the cost of a failed attempt even if the ledger is down until its hold expires', async () => {
    const real = memoryLedger({ credits: { acme: '10' } });
    let down = true;
    const release: Ledger['release'] = (id, released) =>
      down ? Promise.reject(new Error('down')) : real.release(id, released);
    const failed = failure('upstream_invalid_response', { cost: 4n });
    const { ask, clock, gateway } = start([scripted('exa', [failed]).provider], { ledger: { ...real, release } });
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_invalid_response');
    expect(await real.expireHolds(clock.now() + 3_600_000)).toBe(1);
    down = false;
    await gateway.close();
    const { entries } = await real.entries();
    expect(entries.slice(1)).toEqual([
      expect.objectContaining({ kind: 'expired' }),
      expect.objectContaining({ kind: 'loss', amount: 4n }),
    ]);
    expect(await real.organizationTotals('acme')).toEqual({ credits: 10_000_000_000n, usage: 0n, held: 0n });
  });

  it('settles pending charges when the gateway closes', async () => {
    const real = memoryLedger({ credits: { acme: '10' } });
    let down = true;
    const settle: Ledger['settle'] = (id, charged) =>
      down ? Promise.reject(new Error('down')) : real.settle(id, charged);
    const { ask, gateway } = start([scripted('exa', [OUTCOME]).provider], { ledger: { ...real, settle } });
    await ask('exa/answer');
    down = false;
    await gateway.close();
    expect(await real.organizationTotals('acme')).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('ends the holds of dead processes', async () => {
    const { ledger, clock, events, gateway } = start([scripted('exa', [OUTCOME]).provider]);
    const hold = { organizationId: 'acme', keyId: 'key', keyLimit: null, amount: 5n, model: 'exa/answer' };
    await ledger.hold({ ...hold, holdId: 'left-behind', expiresAtMs: clock.now() + 1_000 });
    await clock.advance(30_000);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 0n, held: 0n });
    await gateway.close();
    expect(events).toContainEqual(expect.objectContaining({ type: 'holds_expired', count: 1 }));
  });
});

describe('in-process calls', () => {
  it('accept a host’s own identity', async () => {
    const { gateway, ledger } = start([scripted('exa', [OUTCOME]).provider]);
    const apiKey = { id: 'user-7', organizationId: 'acme', limit: '0.01' };
    await gateway.answer({ apiKey, model: 'exa/answer', query: 'x' });
    expect(await ledger.keyTotals('user-7')).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(await gateway.key({ apiKey })).toEqual({
      label: 'user-7',
      usage: 0.005,
      limit: 0.01,
      limitRemaining: 0.005,
      limitReset: null,
      resetsAt: null,
      rateLimit: null,
      maxConcurrent: null,
      budgets: [],
      boundBy: 'key_limit',
    });
    expect(await gateway.credits({ apiKey })).toEqual({ totalCredits: 10, totalUsage: 0.005 });
  });

  it('reset the limit of such an identity with the calendar', async () => {
    const { gateway, clock } = start([scripted('exa', [OUTCOME]).provider]);
    const apiKey = { id: 'user-7', organizationId: 'acme', limit: '0.008', limitReset: 'weekly' } as const;
    const question = { apiKey, model: 'exa/answer', query: 'x' };
    const sunday = { limit: 0.008, limitReset: 'weekly', resetsAt: '2026-11-23T00:00:00Z' };
    await gateway.answer(question);
    expect(await gateway.key({ apiKey })).toMatchObject({ ...sunday, usage: 0.005, limitRemaining: 0.003 });
    await expect(gateway.answer(question)).rejects.toMatchObject({
      reason: 'key_limit_reached',
      details: { limitReset: 'weekly', resetsAtMs: Date.UTC(2026, 10, 23), usage: 5_000_000n },
    });
    await clock.advance(2 * 86_400_000);
    const monday = { ...sunday, resetsAt: '2026-11-30T00:00:00Z' };
    expect(await gateway.key({ apiKey })).toMatchObject({ ...monday, usage: 0.005, limitRemaining: 0.008 });
    await gateway.answer(question);
    expect(await gateway.key({ apiKey })).toMatchObject({ ...monday, usage: 0.01, limitRemaining: 0.003 });
  });

  it.each([
    ['an empty query', { query: '  ' }, 'invalid_field', 'query'],
    ['a query that is too long', { query: 'x'.repeat(8_001) }, 'invalid_field', 'query'],
    ['a model that is no string', { model: 7 as unknown as string }, 'invalid_field', 'model'],
    ['an unknown model', { model: 'exa/anwser' }, 'model_not_found', 'model'],
    ['an unknown key', { apiKey: 'another-secret-of-twenty' }, 'invalid_api_key', null],
  ])('refuse %s as the endpoint does', async (_name, fields, reason, param) => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway, events } = start([exa.provider]);
    const call = gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'x', ...fields });
    await expect(call).rejects.toMatchObject({ reason, param });
    expect(exa.calls).toHaveLength(0);
    await gateway.close();
    expect(events).toEqual([expect.objectContaining({ type: 'request_finished', reason })]);
  });

  it('lists models by category', () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    expect(gateway.models({ category: 'answer' }).map(({ id }) => id)).toEqual(['exa/answer']);
    expect(gateway.models().length).toBeGreaterThan(80);
  });
});

describe('createGateway', () => {
  const { provider } = scripted('exa', [OUTCOME]);
  const good: GatewayOptions = { providers: [provider], ledger: memoryLedger(), apiKeys: memoryApiKeys() };

  it.each<[string, unknown, string]>([
    ['an unknown option', { ...good, fallback: {} }, 'fallback: found an unknown option'],
    ['an option with a slip', { ...good, fallback: {} }, 'Did you mean "fallbacks"?'],
    ['an option that is gone', { ...good, latencyStore: {} }, 'expected no such option any more: remove it'],
    ['an inner option that is gone', { ...good, cache: { ttlMs: 1, scope: 'gateway' } }, 'remove it, answers are kept'],
    ['no providers', { ...good, providers: [] }, 'providers: '],
    ['a provider twice', { ...good, providers: [provider, provider] }, 'providers: '],
    ['something that is no provider', { ...good, providers: [{ id: 'exa' }] }, 'providers[0]: found an object'],
    ['no ledger', { ...good, ledger: undefined }, 'ledger: found nothing'],
    ['something that is no ledger', { ...good, ledger: {} }, 'ledger: found an object'],
    ['neither keys nor a hook', { ...good, apiKeys: undefined }, 'apiKeys: '],
    ['both keys and a hook', { ...good, authenticate: () => null }, 'apiKeys: '],
    ['a number out of range', { ...good, maxAttempts: 0 }, 'maxAttempts: found 0'],
    ['a markup that is no decimal', { ...good, markup: '20%' }, 'markup: found "20%"'],
    ['a markup of zero', { ...good, markup: '0' }, 'markup: '],
    ['an alias to nowhere', { ...good, aliases: { fast: 'exa/anwser' } }, 'aliases["fast"]'],
    ['a fallback to nowhere', { ...good, fallbacks: { 'exa/answer': ['x/y'] } }, 'fallbacks["exa/answer"][0]'],
  ])('refuses %s, naming the path', (_name, options, text) => {
    expect(() => createGateway(options as GatewayOptions)).toThrow(text);
  });

  it('reports all invalid options at once', () => {
    const options = { ...good, maxAttempts: 0, markup: 'x', color: 'red' } as unknown as GatewayOptions;
    expect(() => createGateway(options)).toThrow(
      expect.objectContaining({ reason: 'invalid_configuration', problems: expect.objectContaining({ length: 3 }) }),
    );
  });
});
