import { describe, expect, it } from 'vitest';
import { createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import type { AnswerOutcome, Provider, ProviderLimits } from '../src/provider-kit/index.js';
import { exa } from '../src/providers/index.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

/** A provider with these limits; the test gives its answers one by one. */
function held(id: string, limits: ProviderLimits) {
  const waiting: ((outcome: AnswerOutcome) => void)[] = [];
  const reply = () => new Promise<AnswerOutcome>((resolve) => waiting.push(resolve));
  const { provider, calls } = scripted(id, [reply]);
  return { provider: { ...provider, limits } satisfies Provider, calls, answer: () => waiting.shift()?.(OUTCOME) };
}

const limitedEvents = (events: readonly { readonly type: string }[]) =>
  events.filter(({ type }) => type === 'provider_slot_refused');

describe('a provider over its upstream limit', () => {
  it('is skipped for a fallback, which the operator sees', async () => {
    const exaHeld = held('exa', { maxConcurrent: 1 });
    const { provider: you } = scripted('you', [OUTCOME]);
    const { gateway, ask, clock, events } = start([exaHeld.provider, you], {
      fallbacks: { 'exa/answer': ['you/answer'] },
    });
    const first = ask('exa/answer');
    await clock.advance(0);
    expect(await ask('exa/answer')).toMatchObject({ model: 'you/answer' });
    exaHeld.answer();
    expect(await first).toMatchObject({ model: 'exa/answer' });
    await gateway.close();
    expect(limitedEvents(events)).toMatchObject([
      { provider: 'exa', model: 'exa/answer', outcome: 'passed_over', waitedMs: 0 },
    ]);
  });

  it('is awaited without a fallback, and answers in its turn', async () => {
    const { provider, answer } = held('exa', { maxConcurrent: 1 });
    const { gateway, ask, clock, events } = start([provider]);
    const [first, second] = [ask('exa/answer'), ask('exa/answer')];
    await clock.advance(300);
    answer();
    await first;
    await clock.advance(0);
    answer();
    expect(await second).toMatchObject({ model: 'exa/answer' });
    await gateway.close();
    expect(limitedEvents(events)).toMatchObject([{ outcome: 'waited', waitedMs: 300 }]);
  });

  it.each([
    [7_499, 'answered', 2],
    [7_500, 'upstream_rate_limited', 1],
  ])('is awaited while a quarter of the deadline of 10 s is left (%d ms: %s)', async (freeAtMs, ending, asked) => {
    const { provider, answer, calls } = held('exa', { maxConcurrent: 1, maxQueueMs: 60_000 });
    const { ask, clock, totals } = start([provider]);
    const [first, second] = [ask('exa/answer'), reasonOf(ask('exa/answer'))];
    await clock.advance(freeAtMs);
    answer();
    await first;
    await clock.advance(0);
    answer();
    expect([await second, calls.length]).toEqual([ending, asked]);
    expect(await totals()).toMatchObject({ held: 0n });
  });

  it('ends the call after maxQueueMs with upstream_rate_limited, costs nothing and is not paused', async () => {
    const { provider, answer, calls } = held('exa', { rateLimit: { requests: 1, periodMs: 900 }, maxConcurrent: 1 });
    const { gateway, ask, clock, events, totals } = start([provider], { providerFailureThreshold: 1 });
    const first = ask('exa/answer');
    const second = ask('exa/answer').catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await second).toMatchObject({
      reason: 'upstream_rate_limited',
      status: 503,
      retryAfterMs: 1_000,
      details: { provider: 'exa', model: 'exa/answer', attempts: 0, upstreamStatus: null, phase: 'connect' },
    });
    answer();
    await first;
    const third = ask('exa/answer');
    await clock.advance(0);
    answer();
    await third;
    expect(calls).toHaveLength(2);
    expect(await totals()).toMatchObject({ usage: 10_000_000n, held: 0n });
    await gateway.close();
    expect(limitedEvents(events)).toMatchObject([{ outcome: 'given_up', waitedMs: 1_000 }]);
    expect(events.filter(({ type }) => type === 'provider_paused')).toEqual([]);
  });

  it('reports the start of the next period', async () => {
    const { provider, answer } = held('exa', { rateLimit: { requests: 1, periodMs: 30_000 } });
    const { ask, clock } = start([provider]);
    const first = ask('exa/answer');
    await clock.advance(2_000);
    answer();
    await first;
    await expect(ask('exa/answer')).rejects.toMatchObject({ reason: 'upstream_rate_limited', retryAfterMs: 28_000 });
  });

  it('is asked after its fallback has failed, if it has capacity again', async () => {
    const exaHeld = held('exa', { maxConcurrent: 1 });
    const { provider: you } = scripted('you', [failure('upstream_auth_failed')]);
    const { ask, clock } = start([exaHeld.provider, you], { fallbacks: { 'exa/answer': ['you/answer'] } });
    const [first, second] = [ask('exa/answer'), ask('exa/answer')];
    await clock.advance(100);
    exaHeld.answer();
    await first;
    await clock.advance(0);
    exaHeld.answer();
    expect(await second).toMatchObject({ model: 'exa/answer' });
  });

  it('returns the error of the fallback if it still has no capacity', async () => {
    const exaHeld = held('exa', { maxConcurrent: 1 });
    const { provider: you } = scripted('you', [failure('query_rejected')]);
    const { ask, clock } = start([exaHeld.provider, you], { fallbacks: { 'exa/answer': ['you/answer'] } });
    void ask('exa/answer');
    const second = reasonOf(ask('exa/answer'));
    await clock.advance(1_000);
    expect(await second).toBe('query_rejected');
  });

  it('counts retries like first attempts', async () => {
    const limits = { rateLimit: { requests: 2, periodMs: 10_000 } };
    const { provider, calls } = scripted('exa', [failure('upstream_error')]);
    const { ask, clock } = start([{ ...provider, limits }], { maxAttempts: 5 });
    const asked = reasonOf(ask('exa/answer'));
    await clock.advance(2_000);
    expect(await asked).toBe('upstream_error');
    expect(calls).toHaveLength(2);
  });

  it('delays no call to another provider', async () => {
    const { provider } = held('exa', { maxConcurrent: 1, maxQueueMs: 600_000 });
    const { provider: you } = scripted('you', [OUTCOME]);
    const { gateway, ask, clock } = start([provider, you], { maxInFlight: 20, maxInFlightPerKey: 20, limit: null });
    const waiting = Array.from({ length: 20 }, () => reasonOf(ask('exa/answer')));
    await clock.advance(0);
    // One call is answered, and two wait: a tenth of all slots.
    expect(await reasonOf(ask('you/answer'))).toBe('answered');
    const closing = gateway.close();
    await clock.advance(10_000);
    await closing;
    expect((await Promise.all(waiting)).filter((reason) => reason === 'upstream_rate_limited')).toHaveLength(17);
  });

  it('ends all waits when the gateway closes', async () => {
    const { provider, answer } = held('exa', { maxConcurrent: 1, maxQueueMs: 600_000 });
    const { gateway, ask, clock, totals } = start([provider]);
    const first = ask('exa/answer');
    const second = reasonOf(ask('exa/answer'));
    await clock.advance(0);
    const closing = gateway.close();
    expect(await second).toBe('shutting_down');
    answer();
    expect(await first).toMatchObject({ model: 'exa/answer' });
    await closing;
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('is not asked after its caller disconnects', async () => {
    const { provider, answer, calls } = held('exa', { maxConcurrent: 1 });
    const { gateway, ask, clock, totals } = start([provider]);
    const first = ask('exa/answer');
    const caller = new AbortController();
    const gone = reasonOf(gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When?', signal: caller.signal }));
    await clock.advance(10);
    caller.abort();
    await clock.advance(50);
    expect(await gone).toBe('client_closed_request');
    answer();
    await first;
    expect(calls).toHaveLength(1);
    expect(await totals()).toMatchObject({ held: 0n });
  });
});

describe('the limits of a provider', () => {
  it('are settings of every provider', () => {
    expect(exa({ apiKey: 'k', rateLimit: { requests: 10, periodMs: 1_000 }, maxConcurrent: 50 }).limits).toEqual({
      rateLimit: { requests: 10, periodMs: 1_000 },
      maxConcurrent: 50,
      maxQueueMs: 1_000,
    });
    expect(() => exa({ apiKey: 'k', rateLimit: { requests: 0, periodMs: 1_000 } })).toThrow(
      'exa.rateLimit.requests: found 0, expected at least 1',
    );
  });

  it('are also checked for custom providers', () => {
    const { provider } = scripted('own', [OUTCOME]);
    const options = { ledger: memoryLedger(), apiKeys: memoryApiKeys() };
    const withLimits = (limits: object) => () => createGateway({ ...options, providers: [{ ...provider, limits }] });
    expect(withLimits({ maxConcurrent: 1.5 })).toThrow('own.maxConcurrent: found 1.5, expected a whole number');
    expect(withLimits({ maxConcurent: 1 })).toThrow('Did you mean "maxConcurrent"?');
    expect(withLimits({ maxConcurrent: 1 })).not.toThrow();
  });
});
