import { createGateway, formatUsd, type GatewayOptions, isRequestError, memoryLedger } from '@searchgate/core';
import { UpstreamError } from '@searchgate/core/provider-kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from './fake-clock.js';
import { type FakeProvider, fakeProvider } from './fake-provider.js';

const CITATIONS = [{ url: 'https://example.org/leave', title: 'Leave', snippet: 'Thirty days.' }];
const caller = { id: 'alice', organizationId: 'acme' };

function gatewayOf(provider: FakeProvider, options: Partial<GatewayOptions> = {}) {
  const ledger = memoryLedger({ credits: { acme: '1.00' } });
  const gateway = createGateway({
    providers: [provider],
    ledger,
    authenticate: () => null,
    maxAttempts: 1,
    ...options,
  });
  onTestFinished(() => gateway.close());
  const [{ slug } = { slug: '' }] = provider.models;
  return {
    gateway,
    ask: (query = 'How much leave do I get?') => gateway.answer({ apiKey: caller, model: slug, query }),
    async stream() {
      const events: unknown[] = [];
      for await (const event of gateway.answerStream({ apiKey: caller, model: slug, query: 'When?' })) {
        if (event.type === 'delta') events.push(event.text);
        else events.push(event.type === 'error' ? event.error.reason : event.type);
      }
      return events;
    },
    charged: async () => formatUsd((await ledger.organizationTotals('acme')).usage),
  };
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: unknown) => (isRequestError(error) ? error.reason : error),
  );

describe('a fake provider', () => {
  it('answers with a short text at its list price by default', async () => {
    const { ask, charged } = gatewayOf(fakeProvider());
    expect(await ask()).toMatchObject({ model: 'fake/answer', answer: 'A fake answer.', citations: [] });
    expect(await charged()).toBe('0.01');
  });

  it('answers with the text, citations and cost of its reply', async () => {
    const provider = fakeProvider({ replies: [{ text: 'Thirty days [1].', citations: CITATIONS, cost: '0.004' }] });
    const { ask, charged } = gatewayOf(provider);
    expect(await ask()).toMatchObject({ answer: 'Thirty days [1].', citations: CITATIONS, usage: { cost: 0.004 } });
    expect(await charged()).toBe('0.004');
  });

  it('gives each attempt the next reply, and repeats the last reply', async () => {
    const provider = fakeProvider();
    const { ask } = gatewayOf(provider);
    provider.reply('first', ({ query }) => `second: ${query}`);
    const answers = [await ask('a'), await ask('b'), await ask('c')];
    expect(answers.map(({ answer }) => answer)).toEqual(['first', 'second: b', 'second: c']);
  });

  it('records its requests, retries included', async () => {
    const provider = fakeProvider({
      id: 'handbook',
      models: [{ slug: 'handbook/fast', options: { country: { as: 'country' } } }],
      replies: [{ failure: 'upstream_error' }, 'Yes.'],
    });
    const clock = createFakeClock();
    const gateway = createGateway({
      providers: [provider],
      ledger: memoryLedger({ credits: { acme: '1' } }),
      authenticate: () => null,
      clock,
      maxAttempts: 2,
    });
    onTestFinished(() => gateway.close());
    const answer = gateway.answer({
      apiKey: caller,
      model: 'handbook/fast',
      query: 'Where?',
      search: { country: 'ch' },
    });
    await clock.advance(10_000);
    expect(await answer).toMatchObject({ answer: 'Yes.' });
    const request = { model: 'handbook/fast', query: 'Where?', search: { country: 'CH' }, isStreamed: false };
    expect(provider.requests).toMatchObject([request, request]);
  });

  it('streams each part, and waits between parts for the promises and the milliseconds of a test', async () => {
    const clock = createFakeClock();
    let resume = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    const provider = fakeProvider({
      clock,
      replies: [{ text: ['Thirty', resumed, ' days', 5_000, ' [1].'], citations: CITATIONS }],
    });
    const { stream } = gatewayOf(provider, { clock });
    let isDone = false;
    const streamed = stream().finally(() => (isDone = true));
    await clock.advance(3_000);
    expect([provider.requests[0]?.isStreamed, isDone]).toEqual([true, false]);
    resume();
    await clock.advance(0);
    expect(isDone).toBe(false);
    await clock.advance(5_000);
    expect(await streamed).toEqual(['start', 'citations', 'Thirty', ' days', ' [1].', 'done']);
  });

  it.each([
    ['upstream_auth_failed', 'upstream_auth_failed'],
    ['no_answer_found', 'no_answer_found'],
    [new UpstreamError('upstream_error', { phase: 'headers', status: 500 }), 'upstream_error'],
  ] as const)('fails by %s without a charge', async (failure, reason) => {
    const { ask, charged } = gatewayOf(fakeProvider({ replies: [{ failure }] }));
    expect([await reasonOf(ask()), await charged()]).toEqual([reason, '0']);
  });

  it('breaks off a stream after its first parts', async () => {
    const { stream } = gatewayOf(fakeProvider({ replies: [{ text: ['Thirty'], failure: 'upstream_error' }] }));
    expect(await stream()).toEqual(['start', 'Thirty', 'upstream_error']);
  });

  it('ends its wait and its timer when the gateway aborts the attempt', async () => {
    const [clock, providerClock] = [createFakeClock(), createFakeClock()];
    const provider = fakeProvider({ clock: providerClock, replies: [{ text: [60_000, 'Late.'] }] });
    const reason = reasonOf(gatewayOf(provider, { clock }).ask());
    await clock.advance(0);
    expect(providerClock.pendingTimers).toBe(1);
    await clock.advance(10_000);
    expect(await reason).toBe('upstream_timeout');
    expect([provider.requests[0]?.signal.aborted, providerClock.pendingTimers]).toEqual([true, 0]);
  });

  it('takes conversations and JSON, and records them', async () => {
    const provider = fakeProvider({ replies: [{ json: { days: 30 } }] });
    const { gateway } = gatewayOf(provider);
    const messages = (['user', 'assistant', 'user'] as const).map((role) => ({ role, content: `by ${role}` }));
    const format = { name: 'leave', schema: { type: 'object' } };
    const responseFormat = { type: 'json_schema', jsonSchema: format } as const;
    const { answer } = await gateway.answer({ apiKey: caller, model: 'fake/answer', messages, responseFormat });
    expect(JSON.parse(answer)).toEqual({ days: 30 });
    const asked = { query: 'by user', earlier: messages.slice(0, 2), responseFormat: format };
    expect(provider.requests).toMatchObject([asked]);
  });

  it('takes instructions and a limit, records them, and ends an answer as a test says', async () => {
    const provider = fakeProvider({ replies: [{ text: 'Thirty', truncated: true }, 'Thirty days.'] });
    const { gateway } = gatewayOf(provider);
    const asked = { instructions: 'Be brief.', maxOutputTokens: 9 };
    const ask = () => gateway.answer({ apiKey: caller, model: 'fake/answer', query: 'leave', ...asked });
    expect(await ask()).toMatchObject({ answer: 'Thirty', truncated: true });
    expect(await ask()).not.toHaveProperty('truncated');
    expect(provider.requests).toMatchObject([asked, asked]);
  });

  it('serves every kind of calls with default replies at its list price, and records the calls', async () => {
    const provider = fakeProvider();
    const { gateway } = gatewayOf(provider);
    const page = { url: 'https://example.org/', title: 'A fake page' };
    const query = { apiKey: caller, query: 'a' };
    const { results } = await gateway.search({ ...query, model: 'fake/search', includeContent: true });
    expect(results).toMatchObject([{ ...page, snippet: 'Fake.', content: 'A fake text.' }]);
    const read = await gateway.extract({ apiKey: caller, model: 'fake/extract', urls: [page.url] });
    expect(read).toMatchObject({ results: [{ ...page, content: 'A fake text.' }], usage: { cost: 0.01 } });
    const ranked = await gateway.rerank({ ...query, model: 'fake/rerank', documents: ['b', 'c'] });
    expect(ranked.results).toMatchObject([{ index: 0 }, { index: 1 }]);
    const embed = () => gateway.embed({ apiKey: caller, model: 'fake/embed', input: ['b'], dimensions: 4 });
    const [first, second] = [await embed(), await embed()];
    expect([first.data[0]?.embedding.length, first.data]).toEqual([4, second.data]);
    expect(provider.calls).toMatchObject({
      search: [{ query: 'a', includeContent: true }],
      extract: [{ urls: [page.url] }],
      rerank: [{ documents: ['b', 'c'], topN: 2 }],
      embed: [{ inputs: ['b'], dimensions: 4 }, { inputs: ['b'] }],
    });
  });

  it('gives each call of a port the next scripted reply, and fails as a test says', async () => {
    const provider = fakeProvider();
    const { gateway, charged } = gatewayOf(provider);
    const search = () => gateway.search({ apiKey: caller, model: 'fake/search', query: 'leave' });
    const echo = ({ query }: { query: string }) => ({ results: [{ url: `https://example.org/${query}` }] });
    provider.replyTo('search', { results: [] }, echo, { failure: 'upstream_error' });
    expect((await search()).results).toEqual([]);
    expect((await search()).results).toMatchObject([{ url: 'https://example.org/leave' }]);
    expect([await reasonOf(search()), await charged()]).toEqual(['upstream_error', '0.02']);
  });
});
