import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { gatewayTracer } from '../src/index.js';

export const KEY = 'a-secret-of-twenty-characters';
const PRICE = { kind: 'flat', request: '0.01', source: 'test', asOf: '2026-11-23', confidence: 'high' } as const;

/** Propagates the active context through awaits, as a started SDK does. */
export function followContext(): void {
  const manager = new AsyncLocalStorageContextManager();
  beforeAll(() => void context.setGlobalContextManager(manager.enable()));
  afterAll(() => {
    context.disable();
    manager.disable();
  });
}

/** Serves a listener on a free loopback port until the end of the test. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How an upstream reacts to a request: sends a status, or leaves the response to the test. */
export type Upstream = number | ((response: ServerResponse) => void);

/** A provider over HTTP that streams the body; the whole body is the answer. */
async function providerAt(id: string, upstream: Upstream): Promise<Provider> {
  const url = new URL(
    await listen((_request, response) => {
      if (typeof upstream === 'function') upstream(response);
      else response.writeHead(upstream).end('Thirty days.');
    }),
  );
  const facts = { name: id, description: 'A provider for tests.', contextLength: null, timeoutMs: 5_000 };
  const ask: NonNullable<NonNullable<Provider['answer']>['stream']> = async (_call, { upstream: client }, live) => {
    let text = '';
    const onText = (piece: string) => {
      text += piece;
      live.text(piece);
      return true;
    };
    const { status } = await client.send({ method: 'GET', url, headers: {}, onText });
    if (status !== 200) throw new UpstreamError('upstream_error', { phase: 'headers', status, detail: 'out of order' });
    const usage = { inputTokens: 40, outputTokens: 5 };
    return { text, citations: [], cost: { reported: 4_000_000n, usage }, upstreamRequestId: `${id}-1` };
  };
  const ignored = { citations: () => undefined, text: () => undefined };
  return {
    id,
    name: id,
    models: [{ ...facts, slug: `${id}/answer`, prices: [PRICE], features: ['streaming'] }],
    answer: { answer: (call, upstreamContext) => ask(call, upstreamContext, ignored), stream: ask },
  };
}

/** Start order of the spans: their times are whole milliseconds, in which several spans can start. */
const order = new WeakMap<object, number>();
let begunSoFar = 0;
const inOrder: SpanProcessor = {
  onStart: (span) => void order.set(span, (begunSoFar += 1)),
  onEnd: () => undefined,
  forceFlush: async () => {},
  shutdown: async () => {},
};

function orderOf(span: ReadableSpan): number {
  const place = order.get(span);
  if (place === undefined) throw new Error(`the span ${span.name} is of another tracer`);
  return place;
}

/** A gateway with these upstreams, by provider, and the collected spans. */
export async function startTraced(upstreams: Record<string, Upstream>, options: Partial<GatewayOptions> = {}) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [inOrder, new SimpleSpanProcessor(exporter)] });
  const providers = await Promise.all(Object.entries(upstreams).map(([id, upstream]) => providerAt(id, upstream)));
  const gateway = createGateway({
    providers,
    ledger: memoryLedger({ credits: { acme: '10.00' } }),
    apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]),
    tracer: gatewayTracer({ tracerProvider }),
    ...options,
  });
  onTestFinished(() => gateway.close());
  const tracer = tracerProvider.getTracer('host');
  return {
    gateway,
    tracerProvider,
    spans: () => exporter.getFinishedSpans(),
    ask: (model: string) => gateway.answer({ apiKey: KEY, model, query: 'How much leave do I get?' }),
    /** Runs the host's work in a span. */
    inSpan: <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const span = tracer.startSpan(name);
      return context.with(trace.setSpan(context.active(), span), work).finally(() => span.end());
    },
  };
}

/** Spans as an indented tree in start order; failed spans show their status. */
export function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const begun = [...spans].sort((a, b) => orderOf(a) - orderOf(b));
  const under = (parent: string | undefined, indent: string): string[] =>
    begun
      .filter(({ parentSpanContext }) => {
        const own = parentSpanContext?.spanId;
        return own === parent || (parent === undefined && own !== undefined && !ids.has(own));
      })
      .flatMap((span) => [
        `${indent}${span.name}${span.status.code === SpanStatusCode.ERROR ? ` ✗ ${String(span.attributes['error.type'])}` : ''}`,
        ...under(span.spanContext().spanId, `${indent}  `),
      ]);
  return under(undefined, '');
}
