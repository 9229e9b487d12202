import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import {
  isSpanContextValid,
  propagation,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { gatewayRouter } from '@searchgate/express';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS, everyPort } from '../../testing/test/every-port.js';
import { followContext, KEY, listen, startTraced, treeOf } from '../test/traced-gateway.js';
import { gatewayTracer } from './index.js';

followContext();

const FALLBACK = { fallbacks: { 'first/answer': ['second/answer'] } };
const never = () => undefined;

function post(url: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/v1/answer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'first/answer', query: 'How much leave do I get?', ...body }),
  });
}

/** Traces undici's calls until the end of the test. */
function instrumentUndici(tracerProvider: BasicTracerProvider): void {
  const undici = new UndiciInstrumentation();
  undici.setTracerProvider(tracerProvider);
  onTestFinished(() => undici.disable());
}

describe('a trace', () => {
  it('of one fallback shows the request and two attempts under the span of the caller, in Express', async () => {
    const { gateway, tracerProvider, spans, inSpan } = await startTraced({ first: 500, second: 200 }, FALLBACK);
    instrumentUndici(tracerProvider);
    const app = express();
    app.use((_request, response, next) => {
      void inSpan('caller', async () => {
        const finished = once(response, 'finish');
        next();
        await finished;
      });
    });
    const url = await listen(app.use(gatewayRouter(gateway)));
    expect((await post(url)).status).toBe(200);
    await expect.poll(() => spans().some(({ name }) => name === 'caller')).toBe(true);
    // The test's own call has no parent, and its span belongs to another trace.
    const [ours] = spans().filter(({ name }) => name === 'caller');
    const traceId = ours?.spanContext().traceId;
    expect(treeOf(spans().filter((span) => span.spanContext().traceId === traceId))).toEqual([
      'caller',
      '  searchgate answer',
      '    chat first/answer ✗ upstream_error',
      '      GET ✗ 500',
      '    chat second/answer',
      '      GET',
    ]);
  });

  it('continues the trace of a caller’s traceparent, with the instrumentation of node:http', async () => {
    const { gateway, tracerProvider, spans } = await startTraced({ first: 500, second: 200 }, FALLBACK);
    const http = new HttpInstrumentation({ enabled: false, disableOutgoingRequestInstrumentation: true });
    http.setTracerProvider(tracerProvider);
    http.enable();
    // The instrumentation takes effect when node:http is loaded.
    createRequire(import.meta.url)('node:http');
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    onTestFinished(() => {
      http.disable();
      propagation.disable();
    });
    const url = await listen(express().use(gatewayRouter(gateway)));
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    expect((await post(url, {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })).status).toBe(200);
    await expect.poll(() => spans().filter(({ kind }) => kind === SpanKind.SERVER).length).toBeGreaterThan(0);
    const own = spans().filter((span) => span.spanContext().traceId === traceId && span.name !== 'GET');
    expect(treeOf(own)).toEqual([
      'POST',
      '  searchgate answer',
      '    chat first/answer ✗ upstream_error',
      '    chat second/answer',
    ]);
    expect(own.find(({ name }) => name === 'POST')?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  it('of a call in process has the host’s span as its parent', async () => {
    const { ask, spans, inSpan } = await startTraced({ first: 200 });
    await inSpan('report', () => ask('first/answer'));
    expect(treeOf(spans())).toEqual(['report', '  searchgate answer', '    chat first/answer']);
  });

  it('of parallel calls has each attempt under its own call', async () => {
    const { ask, spans, inSpan } = await startTraced({ first: 200, second: 200 });
    const models = ['first/answer', 'second/answer'];
    await Promise.all(Array.from({ length: 20 }, (_each, n) => inSpan(`${n}`, () => ask(models[n % 2] ?? ''))));
    for (let n = 0; n < 20; n += 1) {
      const root = spans().find(({ name }) => name === String(n));
      const own = spans().filter((span) => span.spanContext().traceId === root?.spanContext().traceId);
      expect(treeOf(own)).toEqual([String(n), '  searchgate answer', `    chat ${models[n % 2]}`]);
    }
  });

  it('of a hedged call shows both attempts, and the slower attempt is not an error', async () => {
    const hedging = { maxShare: 1, 'first/answer': { afterMs: 1, with: 'second/answer', maxExtraCost: '0.10' } };
    const { ask, spans, tracerProvider } = await startTraced({ first: never, second: 200 }, { hedging });
    instrumentUndici(tracerProvider);
    await ask('first/answer');
    await expect
      .poll(() => treeOf(spans()))
      .toEqual([
        'searchgate answer',
        '  chat first/answer',
        // The gateway aborts the slower attempt; undici reports that as an error.
        '    GET ✗ Error',
        '  chat second/answer',
        '    GET',
      ]);
    const outcomes = spans().map(({ attributes }) => attributes['searchgate.outcome']);
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'hedged', undefined]));
  });

  it('of an attempt that times out shows an error', async () => {
    const models = { 'first/answer': { timeoutMs: 50 } };
    const { ask, spans } = await startTraced({ first: never }, { models, maxAttempts: 1 });
    await expect(ask('first/answer')).rejects.toMatchObject({ reason: 'upstream_timeout' });
    expect(treeOf(spans())).toEqual(['searchgate answer ✗ upstream_timeout', '  chat first/answer ✗ upstream_timeout']);
  });

  it('of a streamed answer ends with its stream', async () => {
    let upstream: ServerResponse | undefined;
    const { gateway, spans } = await startTraced({
      first: (response) => response.write('Thirty ') && (upstream = response),
    });
    const url = await listen(express().use(gatewayRouter(gateway)));
    const response = await post(url, { stream: true });
    const parts = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('Thirty')) text += (await parts?.read())?.value ?? '';
    expect(spans()).toEqual([]);
    upstream?.end('days.');
    while ((await parts?.read())?.done !== true);
    await expect.poll(() => spans().map(({ name }) => name)).toEqual(['chat first/answer', 'searchgate answer']);
    expect(spans()[1]?.attributes['searchgate.time_to_first_content']).toBeGreaterThan(0);
  });
});

describe('a span', () => {
  it('of an attempt has the attributes of the GenAI conventions', async () => {
    const { ask, spans } = await startTraced({ mistral: 200 });
    await ask('mistral/answer');
    const [attempt] = spans();
    expect([attempt?.name, attempt?.kind]).toEqual(['chat mistral/answer', SpanKind.CLIENT]);
    expect(attempt?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'mistral/answer',
      'gen_ai.response.id': 'mistral-1',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 5,
      'searchgate.request.id': expect.stringMatching(/^req_/) as string,
      'searchgate.attempt': 1,
      'searchgate.outcome': 'answered',
      'searchgate.cost.usd': 0.004,
    });
    expect(attempt?.instrumentationScope.name).toBe('@searchgate/opentelemetry');
  });

  it('of an attempt has the operation of its call', async () => {
    const { gateway, spans } = await startTraced({}, { providers: [everyPort] });
    await gateway.search({ apiKey: KEY, ...CALLS.search });
    await gateway.extract({ apiKey: KEY, ...CALLS.extract });
    await gateway.rerank({ apiKey: KEY, ...CALLS.rerank });
    await gateway.embed({ apiKey: KEY, ...CALLS.embeddings });
    expect(treeOf(spans())).toEqual([
      'searchgate search',
      '  retrieval stub/web',
      'searchgate extract',
      '  extract stub/read',
      'searchgate rerank',
      '  rerank stub/rank',
      'searchgate embeddings',
      '  embeddings stub/embed',
    ]);
    expect(spans().find(({ name }) => name === 'embeddings stub/embed')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.usage.input_tokens': 10,
    });
  });

  it('of a failed attempt has its reason and the provider’s report', async () => {
    const { ask, spans } = await startTraced({ first: 503 }, { maxAttempts: 1 });
    await expect(ask('first/answer')).rejects.toMatchObject({ reason: 'upstream_error' });
    const [attempt] = spans();
    expect(attempt?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'out of order' });
    expect(attempt?.attributes).toMatchObject({
      'error.type': 'upstream_error',
      'searchgate.outcome': 'upstream_error',
      'searchgate.phase': 'headers',
      'searchgate.upstream.status': 503,
    });
  });

  it('of a call has key, models, provider and cost, but not the question', async () => {
    const { ask, spans } = await startTraced({ first: 200 }, { aliases: { fast: 'first/answer' } });
    const { answer } = await ask('fast');
    const [attempt, call] = spans();
    expect([call?.name, call?.kind]).toEqual(['searchgate answer', SpanKind.INTERNAL]);
    expect(call?.attributes).toEqual({
      'searchgate.endpoint': 'answer',
      'searchgate.request.id': attempt?.attributes['searchgate.request.id'],
      'searchgate.key.id': 'key',
      'searchgate.organization.id': 'acme',
      'searchgate.status': 200,
      'searchgate.requested_model': 'fast',
      'searchgate.model': 'first/answer',
      'searchgate.provider': 'first',
      'searchgate.attempts': 1,
      'searchgate.charged.usd': 0.004,
      'searchgate.joined': false,
      'searchgate.replayed': false,
    });
    const told = JSON.stringify(spans().map(({ attributes, status, events }) => ({ attributes, status, events })));
    for (const secret of ['How much leave', answer, KEY]) expect(told).not.toContain(secret);
  });

  it('of an invalid call has the reason, and is not an error', async () => {
    const { ask, spans } = await startTraced({ first: 200 });
    await expect(ask('no-such/model')).rejects.toMatchObject({ reason: 'model_not_found' });
    const [call] = spans();
    expect(call?.attributes).toMatchObject({ 'searchgate.status': 404, 'error.type': 'model_not_found' });
    expect(call?.status).toEqual({ code: SpanStatusCode.UNSET });
  });

  it('is not created without a registered SDK', () => {
    expect(gatewayTracer().startRequest({ endpoint: 'answer' })).toBeUndefined();
  });

  it('that is not sampled is still passed on as parent, so that no span of the trace is sampled', () => {
    const tracerProvider = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
    const call = gatewayTracer({ tracerProvider }).startRequest({ endpoint: 'answer' });
    const seen: (SpanContext | undefined)[] = [];
    call?.run(() => void seen.push(trace.getActiveSpan()?.spanContext()));
    expect(seen).toEqual([expect.objectContaining({ traceFlags: TraceFlags.NONE })]);
    expect(seen.every((each) => each !== undefined && isSpanContextValid(each))).toBe(true);
  });
});
