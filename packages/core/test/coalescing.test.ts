import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../src/index.js';
import type { AnswerOutcome } from '../src/provider-kit/index.js';
import { askOverHttp } from './ask-over-http.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start, streaming, whileAdvancing } from './scripted-gateway.js';

const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };
const PRICE = 5_000_000n;
const OTHER_KEY = 'another-secret-of-twenty';
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A provider with replies given by the test, in the order of the attempts. */
function waiting(id = 'exa') {
  const replies: ((reply: AnswerOutcome | Error) => void)[] = [];
  const reply = () =>
    new Promise<AnswerOutcome>((resolve, reject) => {
      replies.push((given) => {
        if (given instanceof Error) reject(given);
        else resolve(given);
      });
    });
  return { ...scripted(id, [reply]), replies };
}

/** Two keys of one organization; the first may be limited. */
const twoKeys = (limit: string | null, organizationId = 'acme') =>
  memoryApiKeys([
    { apiKey: KEY, id: 'key', label: 'one', organizationId: 'acme', limit },
    { apiKey: OTHER_KEY, id: 'other', label: 'two', organizationId, limit: null },
  ]);

describe('coalescing', () => {
  it('makes one upstream call for a thousand equal questions, and charges each', async () => {
    const exa = waiting();
    const { gateway, ledger, totals, events } = start([exa.provider], {
      coalescing: { sharedPrice: '0.5' },
      limit: null,
      maxInFlightPerKey: 1_000,
    });
    const calls = Array.from({ length: 1_000 }, () => gateway.answer(QUESTION));
    await turn();
    for (const reply of exa.replies) reply({ ...OUTCOME, cost: { reported: 3_000_001n } });
    const answers = await Promise.all(calls);
    expect(exa.calls).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1_000);
    const { entries } = await ledger.entries({ keyId: 'key', limit: 1_000 });
    const charges = entries.filter((entry) => entry.kind === 'charge');
    const shared = charges.filter(({ costSource }) => costSource === 'shared');
    expect([charges.length, shared.length]).toEqual([1_000, 999]);
    expect(new Set(shared.map(({ amount, upstreamCost }) => `${amount} ${upstreamCost}`))).toEqual(
      new Set(['1500001 0']),
    );
    expect(await totals()).toMatchObject({ usage: 3_000_001n + 999n * 1_500_001n, held: 0n });
    await gateway.close();
    const finished = events.filter((event) => event.type === 'request_finished');
    expect(finished.filter(({ joined, attempts }) => joined && attempts === 0)).toHaveLength(999);
  });

  it.each([
    ['of another organization', 'globex', {}],
    ['of a caller who wants a new answer', 'acme', { cache: 'refresh' }],
    ['of a caller who wants none to be kept', 'acme', { cache: 'off' }],
    ['of another question', 'acme', { query: 'Where?' }],
  ] as const)('does not join the call %s', async (_whose, organizationId, more) => {
    const exa = waiting();
    const { gateway, ledger } = start([exa.provider], { coalescing: true, apiKeys: twoKeys(null, organizationId) });
    await ledger.grant({ grantId: 'globex', organizationId: 'globex', amount: 10n ** 9n, note: '' });
    const calls = [gateway.answer(QUESTION), gateway.answer({ ...QUESTION, apiKey: OTHER_KEY, ...more })];
    await turn();
    expect(exa.replies).toHaveLength(2);
    for (const reply of exa.replies) reply(OUTCOME);
    await Promise.all(calls);
  });

  it('joins no finished call', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { ask } = start([exa.provider], { coalescing: true });
    await ask('exa/answer');
    await ask('exa/answer');
    expect(exa.calls).toHaveLength(2);
  });

  it('answers the others when the first caller hangs up, even by a fallback, and charges the first', async () => {
    const [exa, you] = [waiting('exa'), waiting('you')];
    const fallbacks = { 'exa/answer': ['you/answer'] };
    const { gateway, ledger, totals } = start([exa.provider, you.provider], { coalescing: true, fallbacks });
    const caller = new AbortController();
    const first = reasonOf(gateway.answer({ ...QUESTION, signal: caller.signal }));
    await turn();
    const second = gateway.answer(QUESTION);
    await turn();
    caller.abort();
    exa.replies[0]?.(failure('upstream_error', { cost: 7n }));
    await turn();
    you.replies[0]?.(OUTCOME);
    expect(await first).toBe('client_closed_request');
    expect(await second).toMatchObject({ model: 'you/answer', usage: { cost: 0.005 } });
    await gateway.close();
    expect(await totals()).toMatchObject({ usage: 2n * PRICE, held: 0n });
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    expect(entries.filter(({ kind }) => kind === 'loss')).toMatchObject([{ amount: 7n, reason: 'upstream_error' }]);
    expect(entries.filter(({ kind }) => kind === 'charge')).toMatchObject([
      { costSource: 'shared', upstreamCost: 0n },
      { costSource: 'flat', upstreamCost: PRICE },
    ]);
  });

  it('makes no further attempt after all have hung up, and lets no one join then', async () => {
    const exa = waiting();
    const { gateway, totals } = start([exa.provider], { coalescing: true });
    const callers = [new AbortController(), new AbortController()];
    const calls = callers.map(({ signal }) => reasonOf(gateway.answer({ ...QUESTION, signal })));
    await turn();
    for (const caller of callers) caller.abort();
    exa.replies[0]?.(failure('upstream_error'));
    const late = gateway.answer(QUESTION);
    await turn();
    expect(exa.replies).toHaveLength(2);
    exa.replies[1]?.(OUTCOME);
    expect(await late).toMatchObject({ answer: OUTCOME.text });
    expect(await Promise.all(calls)).toEqual(['client_closed_request', 'client_closed_request']);
    await gateway.close();
    expect(await totals()).toMatchObject({ usage: PRICE, held: 0n });
  });

  it('fails all with the same reason, each with its own request id, and records a loss once', async () => {
    const exa = waiting();
    const { gateway, kinds, totals } = start([exa.provider], { coalescing: true, maxAttempts: 1 });
    const calls = [askOverHttp(gateway), askOverHttp(gateway, { body: { stream: true } }), askOverHttp(gateway)];
    await turn();
    exa.replies[0]?.(failure('upstream_error', { cost: 7n }));
    const errors = (await Promise.all(calls)).map(({ body }) => body['error'] as Record<string, unknown>);
    expect(errors.map(({ reason }) => reason)).toEqual(Array(3).fill('upstream_error'));
    expect(new Set(errors.map(({ request_id: id }) => id)).size).toBe(3);
    expect((await kinds()).slice(1)).toEqual([['loss', 7n]]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('lets another caller ask if the first has no budget', async () => {
    const exa = waiting();
    const { gateway } = start([exa.provider], { coalescing: true, apiKeys: twoKeys('0.001') });
    const poor = () => reasonOf(gateway.answer(QUESTION));
    const rich = () => gateway.answer({ ...QUESTION, apiKey: OTHER_KEY });
    const [first, second, third, fourth] = [poor(), rich(), poor(), rich()];
    await turn();
    expect(exa.replies).toHaveLength(1);
    exa.replies[0]?.(OUTCOME);
    expect([await first, await third]).toEqual(['key_limit_reached', 'key_limit_reached']);
    expect((await second).answer + (await fourth).answer).toBe(OUTCOME.text + OUTCOME.text);
  });

  it('fails the waiting calls if the ledger fails the first call', async () => {
    const exa = waiting();
    const own = start([exa.provider]);
    let holds = 0;
    const ledger = { ...own.ledger, hold: () => ((holds += 1), Promise.reject(new Error('down'))) };
    const { gateway } = start([exa.provider], { coalescing: true, ledger });
    const reasons = await Promise.all([1, 2, 3].map(() => reasonOf(gateway.answer(QUESTION))));
    expect(reasons).toEqual(Array(3).fill('ledger_unavailable'));
    expect(holds).toBe(1);
  });

  it('counts waiting calls against rates, not against slots', async () => {
    const exa = waiting();
    const keys = { maxConcurrent: 1, rateLimit: { requests: 2, periodMs: 60_000 } };
    const { gateway } = start([exa.provider], { coalescing: true, defaultLimits: { keys } });
    const calls = [1, 2, 3].map(() => reasonOf(gateway.answer(QUESTION)));
    await turn();
    const other = reasonOf(gateway.answer({ ...QUESTION, query: 'Where?' }));
    await turn();
    exa.replies[0]?.(OUTCOME);
    expect([...(await Promise.all(calls)), await other]).toEqual([
      'answered',
      'answered',
      'rate_limited',
      'rate_limited',
    ]);
  });

  it('sends a joined stream its answer in one part, with or without citations', async () => {
    let finish = (): void => undefined;
    const provider = streaming(async (_call, _context, live) => {
      live.citations(OUTCOME.citations);
      live.text('Open since');
      await new Promise<void>((resolve) => (finish = resolve));
      live.text(' 2021 [1].');
      return OUTCOME;
    });
    const { gateway } = start([provider], { coalescing: true, cache: { ttlMs: 60_000 } });
    const body = { stream: true };
    const calls = [
      askOverHttp(gateway, { body }),
      askOverHttp(gateway, { body }),
      askOverHttp(gateway, { body: { include_citations: false } }),
    ];
    await turn();
    finish();
    const [first, second, whole] = await Promise.all(calls);
    expect(first?.events).toEqual(['start', 'citations', 'delta', 'delta', 'done']);
    expect(second?.events).toEqual(['start', 'citations', 'delta', 'done']);
    expect(second?.headers['cache-status']).toBe('searchgate; fwd=miss; collapsed');
    expect([second?.body['answer'], whole?.body['answer']]).toEqual([OUTCOME.text, 'Open since 2021.']);
    expect(whole?.body).not.toHaveProperty('citations');
  });

  it('caches the answer of many callers once, for later callers', async () => {
    const exa = waiting();
    const { gateway, totals } = start([exa.provider], { coalescing: true, cache: { ttlMs: 60_000, price: '0' } });
    const calls = [gateway.answer(QUESTION), gateway.answer(QUESTION)];
    await turn();
    exa.replies[0]?.(OUTCOME);
    await Promise.all(calls);
    await gateway.answer(QUESTION);
    expect(exa.calls).toHaveLength(1);
    expect((await totals()).usage).toBe(2n * PRICE);
  });

  it('ends all calls when the gateway closes', async () => {
    const exa = waiting();
    const { gateway, totals, clock } = start([exa.provider], { coalescing: true, drainTimeoutMs: 0 });
    const calls = [1, 2, 3].map(() => reasonOf(gateway.answer(QUESTION)));
    await turn();
    await whileAdvancing(clock, gateway.close(), 1);
    expect(await Promise.all(calls)).toEqual(Array(3).fill('shutting_down'));
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('replays the answer of a joined call under its Idempotency-Key', async () => {
    const exa = waiting();
    const { gateway } = start([exa.provider], { coalescing: true });
    const named = { ...QUESTION, idempotencyKey: 'order-17' };
    const calls = [gateway.answer(QUESTION), gateway.answer(named)];
    await turn();
    exa.replies[0]?.(failure('query_rejected', { status: 400 }));
    expect(await Promise.all(calls.map(reasonOf))).toEqual(['query_rejected', 'query_rejected']);
    expect(await reasonOf(gateway.answer(named))).toBe('query_rejected');
    expect(exa.calls).toHaveLength(1);
  });
});
