import { describe, expect, it } from 'vitest';
import { type AnswerEvent, type Gateway, isRequestError } from '../src/index.js';
import { type LiveAnswer, UpstreamError } from '../src/provider-kit/index.js';
import { KEY, OUTCOME, reasonOf, scripted, start, streaming } from './scripted-gateway.js';

const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A provider that streams the start of its answer at once, and the rest on the test's signal. */
function inParts() {
  let release: (failure?: Error) => void = () => undefined;
  const provider = streaming(async (_call, _context, live: LiveAnswer) => {
    live.citations(OUTCOME.citations);
    live.text('Open since');
    const failure = await new Promise<Error | undefined>((resolve) => (release = resolve));
    if (failure !== undefined) throw failure;
    live.text(' 2021 [1].');
    return OUTCOME;
  });
  return { provider, release: (failure?: Error) => release(failure) };
}

async function all(events: AsyncIterable<AnswerEvent>): Promise<AnswerEvent[]> {
  const seen: AnswerEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** A host's loop over the events, advanced one by one. */
function loop(gateway: Gateway, options: object = {}) {
  const iterator = gateway.answerStream({ ...QUESTION, ...options })[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = (await iterator.next()) as IteratorResult<AnswerEvent, undefined>;
    return value;
  };
  const first = async () => [(await next())?.type, (await next())?.type, (await next())?.type];
  return { iterator, next, first };
}

describe('answerStream', () => {
  it('yields each event at once, and ends with the result of answer', async () => {
    const { provider, release } = inParts();
    const { gateway, totals, events } = start([provider]);
    const { next, first, iterator } = loop(gateway);
    expect(await first()).toEqual(['start', 'citations', 'delta']);
    release();
    expect(await next()).toEqual({ type: 'delta', text: ' 2021 [1].' });
    const done = await next();
    expect(done).toMatchObject({
      type: 'done',
      answer: { model: 'exa/answer', answer: OUTCOME.text, citations: [{ title: 'A' }], usage: { cost: 0.005 } },
    });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    await gateway.close();
    expect(events.find(({ type }) => type === 'request_finished')).toMatchObject({
      status: 200,
      firstContentMs: expect.any(Number) as number,
      cost: 5_000_000n,
    });
  });

  it('makes no call before the first event is requested, and one call per loop', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider]);
    const stream = gateway.answerStream(QUESTION);
    await turn();
    expect(exa.calls).toHaveLength(0);
    expect((await all(stream)).map(({ type }) => type)).toEqual(['start', 'citations', 'delta', 'done']);
    await all(stream);
    expect(exa.calls).toHaveLength(2);
  });

  it('throws an error before the first event, after all retries and fallbacks', async () => {
    const failing = scripted('exa', [new UpstreamError('upstream_error', { phase: 'headers', status: 500 })]);
    const { gateway, totals } = start([failing.provider], { maxAttempts: 1 });
    expect(await reasonOf(all(gateway.answerStream(QUESTION)))).toBe('upstream_error');
    expect(await reasonOf(all(gateway.answerStream({ ...QUESTION, query: '' })))).toBe('invalid_field');
    expect(await reasonOf(all(gateway.answerStream({ ...QUESTION, apiKey: 'another-secret-of-twenty' })))).toBe(
      'invalid_api_key',
    );
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('yields an error after the first event as the last event, uncharged', async () => {
    const { provider, release } = inParts();
    const { gateway, totals, kinds } = start([provider]);
    const { next, first, iterator } = loop(gateway);
    await first();
    release(new UpstreamError('upstream_error', { phase: 'body', status: 200 }));
    const last = await next();
    expect(last).toMatchObject({ type: 'error', error: { reason: 'upstream_error', status: 502 } });
    expect(last?.type === 'error' && isRequestError(last.error)).toBe(true);
    expect((await iterator.next()).done).toBe(true);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    expect((await kinds()).at(-1)).toEqual(['loss', 5_000_000n]);
  });

  it('finishes, and is charged, when the loop is left early', async () => {
    const { provider, release } = inParts();
    const { gateway, totals } = start([provider]);
    for await (const { type } of gateway.answerStream(QUESTION)) if (type === 'delta') break;
    expect(await totals()).toMatchObject({ usage: 0n, held: 5_000_000n });
    release();
    await gateway.close();
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('ends at once when its signal is aborted; the call finishes and is charged', async () => {
    const { provider, release } = inParts();
    const { gateway, totals, events } = start([provider]);
    const caller = new AbortController();
    const { next, first, iterator } = loop(gateway, { signal: caller.signal });
    await first();
    caller.abort();
    expect(await next()).toMatchObject({ type: 'error', error: { reason: 'client_closed_request' } });
    expect((await iterator.next()).done).toBe(true);
    release();
    await gateway.close();
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(events.find(({ type }) => type === 'request_finished')).toMatchObject({ status: 499, cost: 5_000_000n });
  });

  it('throws after an abort before the first event, and asks no provider after an abort before the call', async () => {
    const exa = scripted('exa', [() => new Promise(() => undefined)]);
    const { gateway } = start([exa.provider], { drainTimeoutMs: 0 });
    expect(await reasonOf(all(gateway.answerStream({ ...QUESTION, signal: AbortSignal.abort() })))).toBe(
      'client_closed_request',
    );
    expect(exa.calls).toHaveLength(0);
    const caller = new AbortController();
    const waiting = all(gateway.answerStream({ ...QUESTION, signal: caller.signal }));
    await turn();
    caller.abort();
    expect(await reasonOf(waiting)).toBe('client_closed_request');
  });

  it('buffers events for a slow loop', async () => {
    const PARTS = 20_000;
    const text = 'word '.repeat(PARTS).trim();
    const provider = streaming((_call, _context, live) => {
      for (let part = 0; part < PARTS; part += 1) live.text(part === 0 ? 'word' : ' word');
      return Promise.resolve({ ...OUTCOME, text });
    });
    const { gateway } = start([provider]);
    const { next, iterator } = loop(gateway);
    await next();
    await turn();
    let joined = '';
    for await (const event of { [Symbol.asyncIterator]: () => iterator })
      if (event.type === 'delta') joined += event.text;
    expect(joined === text).toBe(true);
  });

  it('replays an answer under its idempotency key, whole or in events', async () => {
    const { provider, release } = inParts();
    const { gateway, totals } = start([provider]);
    const named = { ...QUESTION, idempotencyKey: 'order-17' };
    const { first, next } = loop(gateway, named);
    await first();
    release();
    await next();
    const done = await next();
    const again = await all(gateway.answerStream(named));
    expect(again.map(({ type }) => type)).toEqual(['start', 'citations', 'delta', 'done']);
    expect(again.at(-1)).toEqual(done);
    const id = done?.type === 'done' && done.answer.id;
    expect(again[0]).toEqual({ type: 'start', id, model: 'exa/answer', provider: 'exa' });
    expect(done).toEqual({ type: 'done', answer: await gateway.answer(named) });
    expect((await totals()).usage).toBe(5_000_000n);
  });

  it('replays an answer without sources without an event citations', async () => {
    const { gateway } = start([scripted('exa', [{ ...OUTCOME, text: 'No.', citations: [] }]).provider]);
    for (const [idempotencyKey, includeCitations] of [
      ['none-wanted', false],
      ['none-found', true],
    ] as const) {
      const named = { ...QUESTION, idempotencyKey, includeCitations };
      await gateway.answer(named);
      const again = await all(gateway.answerStream(named));
      expect(again.map(({ type }) => type)).toEqual(['start', 'delta', 'done']);
    }
  });
});
