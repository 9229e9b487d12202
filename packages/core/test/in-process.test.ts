import { describe, expect, it } from 'vitest';
import { type Gateway, type GatewayEvent, memoryLedger, type RequestFinished } from '../src/index.js';
import { UpstreamError } from '../src/provider-kit/index.js';
import { latch, requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const QUESTION = { apiKey: KEY, model: 'exa/answer', query: 'When did it open?' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

const finishedCalls = (events: readonly GatewayEvent[]) =>
  events.filter((event): event is RequestFinished => event.type === 'request_finished');

/** The same question over HTTP, with the same `Idempotency-Key`. */
async function overHttp({ handle }: Gateway, idempotencyKey: string) {
  const { apiKey: _, ...body } = QUESTION;
  const response = await handle(requestOf('answer', { headers: { 'idempotency-key': idempotencyKey }, body }));
  const reply: unknown = JSON.parse(bodyText(response));
  return { body: reply, replayed: response?.headers['idempotent-replayed'] === 'true' };
}

describe('answer with an idempotency key', () => {
  it('asks and charges once, and replays the answer', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway, totals, events } = start([exa.provider]);
    const first = await gateway.answer({ ...QUESTION, idempotencyKey: 'order-17' });
    expect(await gateway.answer({ ...QUESTION, idempotencyKey: 'order-17' })).toEqual(first);
    expect(exa.calls).toHaveLength(1);
    expect((await totals()).usage).toBe(5_000_000n);
    await gateway.close();
    expect(finishedCalls(events)).toMatchObject([
      { endpoint: 'answer', status: 200, replayed: false, cost: 5_000_000n },
      { endpoint: 'answer', status: 200, replayed: true, cost: null, attempts: 0, reason: null },
    ]);
  });

  it('shares its keys with HTTP, in both directions', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider]);
    const inProcess = await gateway.answer({ ...QUESTION, idempotencyKey: 'first-in-process' });
    expect(await overHttp(gateway, 'first-in-process')).toEqual({ body: inProcess, replayed: true });
    const { body } = await overHttp(gateway, 'first-over-http');
    expect(await gateway.answer({ ...QUESTION, idempotencyKey: 'first-over-http' })).toEqual(body);
    expect(exa.calls).toHaveLength(2);
  });

  it('replays a permanent error of a provider, with the same details', async () => {
    const failure = () => Promise.reject(new UpstreamError('query_rejected', { phase: 'body', status: 400 }));
    const exa = scripted('exa', [failure]);
    const { gateway, events } = start([exa.provider]);
    const expected = {
      reason: 'query_rejected',
      status: 400,
      retryable: false,
      details: { provider: 'exa', model: 'exa/answer', attempts: 1, upstreamStatus: 400, phase: 'body' },
    };
    const call = () => gateway.answer({ ...QUESTION, idempotencyKey: 'order-17' });
    await expect(call()).rejects.toMatchObject(expected);
    await expect(call()).rejects.toMatchObject(expected);
    expect(exa.calls).toHaveLength(1);
    await gateway.close();
    expect(finishedCalls(events)).toMatchObject([
      { status: 400, reason: 'query_rejected', replayed: false, attempts: 1 },
      { status: 400, reason: 'query_rejected', replayed: true, attempts: 0 },
    ]);
  });

  it('refuses the key for another question, while the first call runs, and when it is malformed', async () => {
    const { reply, open } = latch();
    const { gateway } = start([scripted('exa', [reply]).provider]);
    const first = gateway.answer({ ...QUESTION, idempotencyKey: 'order-17' });
    await turn();
    const repeated = (fields: object) =>
      reasonOf(gateway.answer({ ...QUESTION, idempotencyKey: 'order-17', ...fields }));
    expect(await repeated({})).toBe('idempotency_in_progress');
    expect(await repeated({ query: 'Why?' })).toBe('idempotency_key_reused');
    expect(await repeated({ idempotencyKey: '' })).toBe('invalid_idempotency_key');
    expect(await repeated({ idempotencyKey: 17 })).toBe('invalid_idempotency_key');
    open();
    expect(await reasonOf(first)).toBe('answered');
  });
});

describe('answer with a signal', () => {
  it('rejects at once on an abort, and finishes and charges the attempt in flight', async () => {
    const { reply, open } = latch();
    const exa = scripted('exa', [reply]);
    const { gateway, totals, events } = start([exa.provider]);
    const caller = new AbortController();
    const call = gateway.answer({ ...QUESTION, signal: caller.signal });
    await turn();
    caller.abort();
    await expect(call).rejects.toMatchObject({ reason: 'client_closed_request', status: 499 });
    const closing = gateway.close();
    open();
    await closing;
    expect((await totals()).usage).toBe(5_000_000n);
    expect(finishedCalls(events)).toMatchObject([
      { status: 499, reason: 'client_closed_request', cost: 5_000_000n, attempts: 1 },
    ]);
  });

  it('makes no further attempt after an abort', async () => {
    const caller = new AbortController();
    const failing = scripted('exa', [
      () => {
        caller.abort();
        return Promise.reject(new UpstreamError('upstream_error', { phase: 'body', status: 500 }));
      },
    ]);
    const other = scripted('sonar', [OUTCOME]);
    const { gateway, totals } = start([failing.provider, other.provider], {
      fallbacks: { 'exa/answer': ['sonar/answer'] },
    });
    expect(await reasonOf(gateway.answer({ ...QUESTION, signal: caller.signal }))).toBe('client_closed_request');
    await gateway.close();
    expect([failing.calls.length, other.calls.length]).toEqual([1, 0]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('asks no provider after an abort before the call', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway, events } = start([exa.provider]);
    expect(await reasonOf(gateway.answer({ ...QUESTION, signal: AbortSignal.abort() }))).toBe('client_closed_request');
    await gateway.close();
    expect(exa.calls).toHaveLength(0);
    expect(finishedCalls(events)).toMatchObject([{ status: 499, reason: 'client_closed_request', cost: null }]);
  });

  it('keeps the answer of the attempt in flight for the next call with the same idempotency key', async () => {
    const { reply, open } = latch();
    const exa = scripted('exa', [reply]);
    const { gateway } = start([exa.provider]);
    const caller = new AbortController();
    const call = gateway.answer({ ...QUESTION, idempotencyKey: 'order-17', signal: caller.signal });
    await turn();
    caller.abort();
    expect(await reasonOf(call)).toBe('client_closed_request');
    open();
    await turn();
    expect(await gateway.answer({ ...QUESTION, idempotencyKey: 'order-17' })).toMatchObject({ model: 'exa/answer' });
    expect(exa.calls).toHaveLength(1);
  });

  it('leaves no listener on the signal', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    signal.addEventListener = (_type: string, listener: unknown) => void listening.add(listener);
    signal.removeEventListener = (_type: string, listener: unknown) => void listening.delete(listener);
    const call = gateway.answer({ ...QUESTION, signal });
    expect(listening.size).toBe(1);
    await call;
    expect(listening.size).toBe(0);
  });

  it('refuses an invalid signal before any provider is asked', async () => {
    const exa = scripted('exa', [OUTCOME]);
    const { gateway } = start([exa.provider]);
    const signal = 'soon' as unknown as AbortSignal;
    await expect(gateway.answer({ ...QUESTION, signal })).rejects.toMatchObject({
      reason: 'invalid_field',
      param: 'signal',
    });
    expect(exa.calls).toHaveLength(0);
  });
});

describe('every call in process', () => {
  it('emits one event, as a request over HTTP does', async () => {
    const { gateway, events } = start([scripted('exa', [OUTCOME]).provider]);
    await gateway.answer(QUESTION);
    await gateway.credits({ apiKey: KEY });
    await gateway.key({ apiKey: KEY });
    await reasonOf(gateway.credits({ apiKey: 'another-secret-of-twenty' }));
    await reasonOf(gateway.answer({ ...QUESTION, query: '' }));
    await gateway.close();
    const known = { keyId: 'key', organizationId: 'acme', clientRequestId: null };
    expect(finishedCalls(events)).toMatchObject([
      { endpoint: 'answer', status: 200, reason: null, ...known, requestedModel: 'exa/answer' },
      { endpoint: 'credits', status: 200, reason: null, ...known, requestedModel: null },
      { endpoint: 'key', status: 200, reason: null, ...known },
      { endpoint: 'credits', status: 401, reason: 'invalid_api_key', keyId: null },
      { endpoint: 'answer', status: 400, reason: 'invalid_field', ...known },
    ]);
    expect(new Set(finishedCalls(events).map(({ requestId }) => requestId)).size).toBe(5);
  });

  it('is refused once the gateway closes', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    await gateway.close();
    const reasons = [gateway.answer(QUESTION), gateway.credits({ apiKey: KEY }), gateway.key({ apiKey: KEY })];
    expect(await Promise.all(reasons.map(reasonOf))).toEqual(['shutting_down', 'shutting_down', 'shutting_down']);
  });

  it('is waited for by close', async () => {
    let give: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (give = resolve));
    const real = memoryLedger({ credits: { acme: '10' } });
    const ledger: typeof real = { ...real, organizationTotals: (id) => asked.then(() => real.organizationTotals(id)) };
    const { gateway } = start([scripted('exa', [OUTCOME]).provider], { ledger });
    const call = gateway.credits({ apiKey: KEY });
    await turn();
    let isClosed = false;
    const closing = gateway.close().then(() => (isClosed = true));
    await turn();
    expect(isClosed).toBe(false);
    give();
    expect(await call).toEqual({ totalCredits: 10, totalUsage: 0 });
    await closing;
  });

  it('names the invalid option as the host wrote it', async () => {
    const { gateway } = start([scripted('exa', [OUTCOME]).provider]);
    const includeCitations = 'yes' as unknown as boolean;
    await expect(gateway.answer({ ...QUESTION, includeCitations })).rejects.toMatchObject({
      reason: 'invalid_field',
      param: 'includeCitations',
      details: { issues: [{ path: 'includeCitations', message: 'must be true or false' }] },
    });
  });

  it('rejects with internal_error when the gateway itself fails, and logs why', async () => {
    let ids = 0;
    const newId = () => {
      ids += 1;
      // Ids of the call, then of its answer.
      if (ids === 2) throw new TypeError('no more ids');
      return String(ids);
    };
    const { gateway, logged } = start([scripted('exa', [OUTCOME]).provider], { newId });
    const cause = expect.objectContaining({ message: 'no more ids' }) as Error;
    await expect(gateway.answer(QUESTION)).rejects.toMatchObject({ reason: 'internal_error', cause });
    expect(logged).toEqual(['a request failed for an unforeseen reason']);
  });
});
