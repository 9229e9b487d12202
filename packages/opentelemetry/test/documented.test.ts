import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { AttemptFinished, RequestFinished } from '@searchgate/core';
import { expect, it } from 'vitest';
import { gatewayTracer } from '../src/index.js';

const common = { atMs: 1, requestId: 'req_1', provider: 'exa', model: 'exa/answer', durationMs: 1, cost: 1n } as const;
const attempt: AttemptFinished = {
  ...common,
  type: 'attempt_finished',
  attempt: 1,
  outcome: 'upstream_error',
  phase: 'body',
  upstreamStatus: 500,
  code: null,
  upstreamRequestId: 'a',
  inputTokens: 1,
  outputTokens: 1,
  detail: '',
};
const request: RequestFinished = {
  ...common,
  type: 'request_finished',
  clientRequestId: 'mine',
  answerId: 'ans_1',
  tag: 'team',
  upstreamCost: 1n,
  loss: 0n,
  endpoint: 'answer',
  status: 502,
  reason: 'upstream_error',
  replayed: false,
  keyId: 'key',
  organizationId: 'acme',
  requestedModel: 'fast',
  cache: 'miss',
  joined: false,
  attempts: 1,
  firstContentMs: 1,
  upstreamMs: 1,
};

it('sets exactly the attributes listed in telemetry.md when all values are known', () => {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const span = gatewayTracer({ tracerProvider }).startRequest({ endpoint: 'answer' });
  span?.startAttempt({ ...attempt, category: 'answer' })?.end(attempt);
  span?.end(request);
  const set = exporter.getFinishedSpans().map(({ attributes }) => Object.keys(attributes));
  const page = readFileSync(join(import.meta.dirname, '../../../docs/telemetry.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]*`) \| (attempt|call|both) \|/gm)];
  const documented = (of: string) =>
    rows
      .filter(([, , which]) => which === of || which === 'both')
      .flatMap(([, names = '']) => [...names.matchAll(/`([\w.]+)`/g)].map(([, name]) => name));
  expect(set.map((names) => new Set(names))).toEqual([new Set(documented('attempt')), new Set(documented('call'))]);
});
