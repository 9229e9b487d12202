import { setImmediate } from 'node:timers/promises';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { METRICS } from '@searchgate/core/metrics';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTraced } from '../test/traced-gateway.js';
import { gatewayMetrics } from './index.js';

/** A gateway whose metrics go to an SDK of the test. */
async function start(...[upstreams, options]: Parameters<typeof startTraced>) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  onTestFinished(() => meterProvider.shutdown());
  const { gateway, ask } = await startTraced(upstreams, { tracer: undefined, ...options });
  const stop = gatewayMetrics(gateway, { meterProvider });
  /** The current metrics, by name. */
  const collect = async (): Promise<Map<string, MetricData>> => {
    await setImmediate();
    exporter.reset();
    await meterProvider.forceFlush();
    const [batch] = exporter.getMetrics();
    const scopes = batch?.scopeMetrics.filter(({ scope }) => scope.name === '@searchgate/opentelemetry') ?? [];
    return new Map(scopes.flatMap(({ metrics }) => metrics.map((metric) => [metric.descriptor.name, metric])));
  };
  /** The values of a counter or gauge, with their labels. */
  const values = async (name: string) =>
    (await collect()).get(name)?.dataPoints.map(({ value, attributes }) => [value, attributes]) ?? [];
  return { gateway, ask, stop, collect, values };
}

describe('gatewayMetrics', () => {
  it('counts answers with their costs and durations', async () => {
    const { ask, values, collect } = await start({ first: 200 });
    await ask('first/answer');
    await ask('first/answer');
    expect(await values('searchgate.requests')).toEqual([[2, { endpoint: 'answer', status: '200', reason: 'none' }]]);
    expect(await values('searchgate.charged.usd')).toEqual([[0.008, { model: 'first/answer' }]]);
    expect(await values('searchgate.tokens')).toEqual([
      [80, { provider: 'first', model: 'first/answer', type: 'input' }],
      [10, { provider: 'first', model: 'first/answer', type: 'output' }],
    ]);
    const duration = (await collect()).get('searchgate.attempt.duration');
    expect(duration?.dataPoints).toMatchObject([
      {
        attributes: { provider: 'first', model: 'first/answer' },
        value: { count: 2, buckets: { boundaries: METRICS['searchgate.attempt.duration'].buckets } },
      },
    ]);
  });

  it('counts failures by their reason, and shows the paused provider', async () => {
    const { ask, values } = await start({ first: 500 }, { providerFailureThreshold: 1, maxAttempts: 1 });
    expect(await values('searchgate.provider.paused')).toEqual([
      [0, { provider: 'first', scope: 'all' }],
      [0, { provider: 'first', scope: 'some_organizations' }],
    ]);
    await expect(ask('first/answer')).rejects.toMatchObject({ reason: 'upstream_error' });
    expect(await values('searchgate.requests')).toEqual([
      [1, { endpoint: 'answer', status: '502', reason: 'upstream_error' }],
    ]);
    expect(await values('searchgate.provider.paused')).toEqual([
      [1, { provider: 'first', scope: 'all' }],
      [0, { provider: 'first', scope: 'some_organizations' }],
    ]);
  });

  it('has counters without labels and gauges from the start', async () => {
    // A provider with one key has no names of keys, and no attempt is under way.
    const absent = new Set(['searchgate.provider.key_state', 'searchgate.attempt.oldest']);
    const { collect } = await start({ first: 200 });
    const names = Object.entries(METRICS).flatMap(([name, { kind, labels }]) =>
      !absent.has(name) && (kind === 'gauge' || labels.length === 0) ? [name] : [],
    );
    expect([...(await collect()).keys()].sort()).toEqual(names.sort());
  });

  it('describes each metric as in the table of core', async () => {
    const { ask, collect } = await start({ first: 200 });
    await ask('first/answer');
    for (const [name, { descriptor }] of await collect()) {
      const { unit, description } = METRICS[name as keyof typeof METRICS];
      expect(descriptor).toMatchObject({ unit, description });
    }
  });

  it('stops counting when stopped', async () => {
    const { ask, stop, values } = await start({ first: 200 });
    await ask('first/answer');
    await setImmediate();
    stop();
    await ask('first/answer');
    expect(await values('searchgate.charged.usd')).toEqual([[0.004, { model: 'first/answer' }]]);
    expect(await values('searchgate.provider.paused')).toEqual([]);
  });

  it('does not listen without a registered SDK', async () => {
    const { gateway } = await startTraced({ first: 200 });
    const on = vi.spyOn(gateway, 'on');
    gatewayMetrics(gateway)();
    expect(on).not.toHaveBeenCalled();
  });
});
