import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { shortDocuments, spawnServer } from './kit/spawn-server.js';
import { ask, SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

interface Export {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: { readonly key: string; readonly value: { stringValue?: string } }[] };
    readonly scopeSpans: { readonly spans: { name: string; traceId: string; parentSpanId?: string }[] }[];
  }[];
}

it('sends spans to a collector as the OTEL_* variables say, below the span of the caller', {
  timeout: SLOW_MS,
}, async () => {
  const exports: { url: string | undefined; header: unknown; body: Export }[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Export;
      exports.push({ url: request.url, header: request.headers['x-team'], body });
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());

  const server = await spawnServer(program, {
    ...shortDocuments(),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=search',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const response = await ask(server, 'local/docs', {
    query: 'When does the shop open?',
    headers: { traceparent: `00-${TRACE}-${PARENT}-01` },
  });
  expect(response.status).toBe(200);
  // What is left is sent at the end.
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);

  const resources = exports.flatMap(({ body }) => body.resourceSpans);
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
  expect(exports[0]).toMatchObject({ url: '/v1/traces', header: 'search' });
  expect(spans).toContainEqual(
    expect.objectContaining({ name: 'searchgate answer', traceId: TRACE, parentSpanId: PARENT }),
  );
  expect(spans.length).toBeGreaterThan(1);
  const attributes = Object.fromEntries(
    resources[0]!.resource.attributes.map(({ key, value }) => [key, value.stringValue]),
  );
  expect(attributes).toMatchObject({ 'service.name': 'searchgate', 'deployment.environment.name': 'test' });
});
