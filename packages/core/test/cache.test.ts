import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../src/index.js';
import { askOverHttp } from './ask-over-http.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };
const PRICE = 5_000_000n;
const OTHER_KEY = 'another-secret-of-twenty';
const cache = { ttlMs: 60_000 };

/** Two organizations, with a key each. */
const twoKeys = (more: object = {}) =>
  memoryApiKeys([
    { apiKey: KEY, id: 'key', label: 'one', organizationId: 'acme', limit: null },
    { apiKey: OTHER_KEY, id: 'other', label: 'two', organizationId: 'globex', limit: null, ...more },
  ]);

describe('a cache', () => {
  it('serves a cached answer with a new id and its own charge, without a provider', async () => {
    const exa = scripted('exa', [{ ...OUTCOME, cost: { reported: 7_000_000n } }]);
    const { gateway, ledger, events, totals } = start([exa.provider], { cache: { ...cache, price: '0.3' } });
    const first = await gateway.answer(QUESTION);
    const second = await gateway.answer(QUESTION);
    expect(second).toEqual({ ...first, id: expect.any(String) as string, usage: { cost: 0.0021 } });
    expect(second.id).not.toBe(first.id);
    expect(exa.calls).toHaveLength(1);
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    expect(entries.slice(1)).toMatchObject([
      { id: first.id, kind: 'charge', amount: 7_000_000n, costSource: 'reported', upstreamCost: 7_000_000n },
      { id: second.id, kind: 'charge', amount: 2_100_000n, costSource: 'cached', upstreamCost: 0n, provider: 'exa' },
    ]);
    expect(await totals()).toMatchObject({ usage: 9_100_000n, held: 0n, key: 9_100_000n });
    await gateway.close();
    expect(events.filter(({ type }) => type === 'request_finished')).toMatchObject([
      { cache: 'miss', attempts: 1, cost: 7_000_000n },
      { cache: 'hit', attempts: 0, cost: 2_100_000n, model: 'exa/answer', provider: 'exa' },
    ]);
  });

  it('rounds the price of a cached answer up, with the organization’s markup', async () => {
    const exa = scripted('exa', [{ ...OUTCOME, cost: { reported: 3n } }], { request: '0.000000003' });
    const { gateway, ledger } = start([exa.provider], {
      cache: { ...cache, price: '0.5' },
      organizationMarkups: { acme: '1.5' },
    });
    await gateway.answer(QUESTION);
    await gateway.answer(QUESTION);
    // 3 × 1.5 is 5 rounded up, half of which is 3.
    expect((await ledger.organizationTotals('acme')).usage).toBe(8n);
  });

  it.each<[string, Record<string, unknown>, number]>([
    ['other white space around it', { query: '\n When did it open? ' }, 1],
    ['another form of the same characters', { query: 'Où? ', first: 'Ou\u0300?' }, 1],
    ['no citations', { includeCitations: false }, 1],
    ['an alias of its model', { model: 'fast' }, 1],
    ['other white space within it', { query: 'When did  it open?' }, 2],
    ['other letters', { query: 'when did it open?' }, 2],
    ['another model', { model: 'you/answer' }, 2],
    ['other fallbacks', { routing: { fallbacks: ['you/answer'] } }, 2],
    ['a bound of its cost', { routing: { maxCost: '0.01' } }, 2],
  ])('a question repeated with %s', async (_what, { first, ...again }, asked) => {
    const [exa, you] = [scripted('exa', [OUTCOME]), scripted('you', [OUTCOME])];
    const { gateway } = start([exa.provider, you.provider], { cache, aliases: { fast: 'exa/answer' } });
    await gateway.answer({ ...QUESTION, ...(first === undefined ? {} : { query: first as string }) });
    await gateway.answer({ ...QUESTION, ...again });
    expect(exa.calls.length + you.calls.length).toBe(asked);
  });

  it('serves callers with and without citations from one answer', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider], { cache });
    const plain = await gateway.answer({ ...QUESTION, includeCitations: false });
    expect(plain).toMatchObject({ answer: 'Open since 2021.' });
    expect(plain).not.toHaveProperty('citations');
    expect(await gateway.answer(QUESTION)).toMatchObject({ answer: OUTCOME.text, citations: [{ title: 'A' }] });
    expect(exa.calls).toHaveLength(1);
  });

  it('serves no organization another’s answer', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway, ledger } = start([exa.provider], { cache, apiKeys: twoKeys() });
    await ledger.grant({ grantId: 'globex', organizationId: 'globex', amount: 10n ** 9n, note: '' });
    await gateway.answer(QUESTION);
    await gateway.answer({ ...QUESTION, apiKey: OTHER_KEY });
    expect(exa.calls).toHaveLength(2);
    expect((await ledger.organizationTotals('globex')).usage).toBe(PRICE);
  });

  it('serves no caller the answer of a forbidden model', async () => {
    const [exa, you] = [scripted('exa', [failure('upstream_rejected')]), scripted('you', [OUTCOME])];
    const { gateway } = start([exa.provider, you.provider], {
      cache,
      fallbacks: { 'exa/answer': ['you/answer'] },
      apiKeys: twoKeys({ organizationId: 'acme', allowedModels: ['exa/answer'] }),
      maxAttempts: 2,
    });
    expect(await gateway.answer(QUESTION)).toMatchObject({ model: 'you/answer' });
    const limited = { ...QUESTION, apiKey: OTHER_KEY };
    expect(await reasonOf(gateway.answer({ ...limited, model: 'you/answer' }))).toBe('model_not_allowed');
    expect(await reasonOf(gateway.answer({ ...limited, routing: { fallbacks: [] } }))).toBe('upstream_rejected');
  });

  it('keeps no failure', async () => {
    const exa = scripted('exa', [failure('query_rejected', { status: 400 }), OUTCOME]);
    const { gateway, ask } = start([exa.provider], { cache });
    expect(await reasonOf(ask('exa/answer'))).toBe('query_rejected');
    expect(await gateway.answer(QUESTION)).toMatchObject({ answer: OUTCOME.text });
    expect(exa.calls).toHaveLength(2);
  });

  it('forgets an answer after its time to live', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask, clock } = start([exa.provider], { cache });
    await ask('exa/answer');
    await clock.advance(59_999);
    await ask('exa/answer');
    expect(exa.calls).toHaveLength(1);
    await clock.advance(1);
    await ask('exa/answer');
    expect(exa.calls).toHaveLength(2);
  });

  it('keeps at most the set number of answers', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask } = start([exa.provider], { cache: { ...cache, maxEntries: 2 } });
    for (const query of ['a', 'b', 'c', 'c', 'b', 'a']) await ask('exa/answer', query);
    expect(exa.calls.map(({ query }) => query)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('keeps at most the set number of bytes', async () => {
    const exa = scripted('exa', [{ ...OUTCOME, text: 'x'.repeat(20_000) }]);
    const { ask } = start([exa.provider], { cache: { ...cache, maxBytes: 65_536 } });
    for (const query of ['a', 'b', 'b', 'a']) await ask('exa/answer', query);
    expect(exa.calls.map(({ query }) => query)).toEqual(['a', 'b', 'a']);
  });

  it('serves while the provider is paused, and refuses callers without budget, rate or slot', async () => {
    const exa = scripted('exa', [OUTCOME, failure('upstream_error')]);
    const { ask, ledger } = start([exa.provider], {
      cache,
      limit: '0.015',
      providerFailureThreshold: 1,
      maxAttempts: 1,
      defaultLimits: { keys: { rateLimit: { requests: 100, periodMs: 60_000 } } },
    });
    await ask('exa/answer');
    expect(await reasonOf(ask('exa/answer', 'another'))).toBe('upstream_error');
    expect(await reasonOf(ask('exa/answer', 'another'))).toBe('upstream_unavailable');
    await ask('exa/answer');
    await ask('exa/answer');
    expect(await reasonOf(ask('exa/answer'))).toBe('key_limit_reached');
    expect(exa.calls).toHaveLength(2);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 3n * PRICE, held: 0n });
  });

  it('counts cached answers against a rate', async () => {
    const limits = { keys: { rateLimit: { requests: 2, periodMs: 60_000 } } };
    const { ask } = start([scripted('exa', [OUTCOME]).provider], { cache, defaultLimits: limits });
    await ask('exa/answer');
    await ask('exa/answer');
    expect(await reasonOf(ask('exa/answer'))).toBe('rate_limited');
  });

  it('does not serve an answer above the caller’s max_cost', async () => {
    const exa = scripted('exa', [{ ...OUTCOME, cost: { reported: 9_000_000n } }, OUTCOME]);
    const { gateway } = start([exa.provider], { cache });
    const bounded = { ...QUESTION, routing: { maxCost: '0.005' } };
    // More than its hold: the true cost was known only later.
    expect(await gateway.answer(bounded)).toMatchObject({ usage: { cost: 0.009 } });
    expect(await reasonOf(gateway.answer(bounded))).toBe('max_cost_exceeded');
    expect(exa.calls).toHaveLength(1);
  });

  it('skips cached answers on request of a caller in process', async () => {
    const exa = scripted('exa', [OUTCOME, { ...OUTCOME, text: 'Newer.' }, { ...OUTCOME, text: 'Newest.' }]);
    const { gateway } = start([exa.provider], { cache });
    await gateway.answer(QUESTION);
    expect((await gateway.answer({ ...QUESTION, cache: 'refresh' })).answer).toBe('Newer.');
    expect((await gateway.answer({ ...QUESTION, cache: 'off' })).answer).toBe('Newest.');
    expect((await gateway.answer(QUESTION)).answer).toBe('Newer.');
    const wrong = gateway.answer({ ...QUESTION, cache: 'never' as 'off' });
    await expect(wrong).rejects.toMatchObject({ reason: 'invalid_field', param: 'cache' });
  });

  it('streams a cached answer to a host in one part', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider], { cache });
    const whole = await gateway.answer(QUESTION);
    const seen = [];
    for await (const event of gateway.answerStream(QUESTION)) seen.push(event);
    expect(seen.map(({ type }) => type)).toEqual(['start', 'citations', 'delta', 'done']);
    expect(seen.at(-1)).toMatchObject({ answer: { ...whole, id: expect.any(String) as string } });
  });
});

describe('a cache over HTTP', () => {
  it('reports the source and the age of an answer', async () => {
    const { gateway, clock } = start([scripted('exa', [OUTCOME]).provider], { cache });
    const asked = async (headers = {}, body = {}) => {
      const { headers: sent } = await askOverHttp(gateway, { headers, body });
      return [sent['cache-status'], sent['age']];
    };
    expect(await asked()).toEqual(['searchgate; fwd=miss; stored', undefined]);
    await clock.advance(12_400);
    expect(await asked()).toEqual(['searchgate; hit; ttl=47', '12']);
    expect(await asked({}, { stream: true })).toEqual(['searchgate; hit; ttl=47', '12']);
    expect(await asked({ 'cache-control': 'max-age=0, No-Cache' })).toEqual([
      'searchgate; fwd=request; stored',
      undefined,
    ]);
    expect(await asked()).toEqual(['searchgate; hit; ttl=60', '0']);
    expect(await asked({ 'cache-control': 'no-cache,no-store' })).toEqual(['searchgate; fwd=request', undefined]);
  });

  it('does not claim to cache an answer larger than the cache', async () => {
    const exa = scripted('exa', [{ ...OUTCOME, text: 'x'.repeat(40_000) }]);
    const { gateway } = start([exa.provider], { cache: { ...cache, maxBytes: 65_536 } });
    const asked = async (headers = {}) => (await askOverHttp(gateway, { headers })).headers['cache-status'];
    expect(await asked()).toBe('searchgate; fwd=miss');
    expect(await asked()).toBe('searchgate; fwd=miss');
    expect(await asked({ 'cache-control': 'no-cache' })).toBe('searchgate; fwd=request');
    expect(exa.calls).toHaveLength(3);
  });

  it('is not mentioned in responses if it is off', async () => {
    const { gateway, events } = start([scripted('exa', [OUTCOME]).provider]);
    const { headers } = await askOverHttp(gateway, { headers: { 'cache-control': 'no-cache' } });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['cache-status']));
    await gateway.close();
    expect(events.at(-1)).toMatchObject({ type: 'request_finished', cache: null });
  });

  it('streams a cached answer as start, citations, one part and done', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider], { cache });
    const whole = await askOverHttp(gateway);
    const streamed = await askOverHttp(gateway, { body: { stream: true } });
    expect(streamed.events).toEqual(['start', 'citations', 'delta', 'done']);
    expect(streamed.body).toEqual({ ...whole.body, id: streamed.body['id'] });
    expect(exa.calls).toHaveLength(1);
  });

  it('replays the answer of an Idempotency-Key unchanged', async () => {
    const exa = scripted('exa', [OUTCOME, { ...OUTCOME, text: 'Newer.' }]);
    const { gateway, totals } = start([exa.provider], { cache });
    const named = { headers: { 'idempotency-key': 'order-17' } };
    const first = await askOverHttp(gateway, named);
    await askOverHttp(gateway, { headers: { 'cache-control': 'no-cache' } });
    const again = await askOverHttp(gateway, named);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(again.headers).not.toHaveProperty('cache-status');
    expect((await askOverHttp(gateway)).body['answer']).toBe('Newer.');
    expect((await totals()).usage).toBe(3n * PRICE);
  });

  it('refuses the field cache in a body', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider], { cache });
    expect((await askOverHttp(gateway, { body: { cache: false } })).status).toBe(400);
  });
});
