import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { memoryLedger } from '@searchgate/core';
import { METRICS, type MetricName } from '@searchgate/core/metrics';
import { type AnswerOutcome, UpstreamError } from '@searchgate/core/provider-kit';
import { Gauge, type OpenMetricsContentType, Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLS, everyPort } from '../../testing/test/every-port.js';
import { failure, MODEL, OUTCOME, startGateway } from '../test/test-gateway.js';
import { gatewayMetrics } from './gateway-metrics.js';
import { prometheusName } from './prometheus-name.js';

/** A gateway with metrics in a registry of the test. */
function start(...[answer, options]: Parameters<typeof startGateway>) {
  const register = new Registry();
  const { gateway, ask } = startGateway(answer, options);
  onTestFinished(() => gateway.close());
  const metrics = gatewayMetrics(gateway, { register });
  /** The lines of a metric, without comments. */
  const lines = async (name: string) => {
    await setImmediate();
    return (await register.metrics()).split('\n').filter((line) => line.startsWith(name));
  };
  /** The number of all lines. */
  const series = async () => (await lines('searchgate_')).length;
  return { gateway, ask, register, metrics, lines, series };
}

const REJECTED = new UpstreamError('upstream_auth_failed', { phase: 'headers', status: 401 });

describe('gatewayMetrics', () => {
  it('counts answers with their costs and durations', async () => {
    const { ask, lines } = start();
    await ask();
    await ask();
    expect(await lines('searchgate_requests_total')).toEqual([
      'searchgate_requests_total{endpoint="answer",status="200",reason="none"} 2',
    ]);
    expect(await lines('searchgate_charged_usd_total')).toEqual([
      `searchgate_charged_usd_total{model="${MODEL}"} 0.02`,
    ]);
    expect(await lines('searchgate_attempts_total')).toEqual([
      `searchgate_attempts_total{provider="handbook",model="${MODEL}",outcome="answered"} 2`,
    ]);
    expect(await lines('searchgate_tokens_total')).toEqual([
      `searchgate_tokens_total{provider="handbook",model="${MODEL}",type="input"} 80`,
      `searchgate_tokens_total{provider="handbook",model="${MODEL}",type="output"} 10`,
    ]);
    expect(await lines('searchgate_request_duration_seconds_count')).toEqual([
      `searchgate_request_duration_seconds_count{endpoint="answer",model="${MODEL}"} 2`,
    ]);
  });

  it('counts searches, extracts, reranks and embeddings by their endpoints and models', async () => {
    const { gateway, lines } = start(undefined, { providers: [everyPort] });
    const apiKey = { id: 'a-key', organizationId: 'acme' };
    await gateway.search({ apiKey, ...CALLS.search });
    await gateway.extract({ apiKey, ...CALLS.extract });
    await gateway.rerank({ apiKey, ...CALLS.rerank });
    await gateway.embed({ apiKey, ...CALLS.embeddings });
    const calls = Object.entries(CALLS);
    expect(await lines('searchgate_requests_total')).toEqual(
      calls.map(([endpoint]) => `searchgate_requests_total{endpoint="${endpoint}",status="200",reason="none"} 1`),
    );
    expect(await lines('searchgate_charged_usd_total')).toEqual(
      calls.map(([, { model }]) => `searchgate_charged_usd_total{model="${model}"} 0.001`),
    );
    expect(await lines('searchgate_tokens_total')).toEqual([
      'searchgate_tokens_total{provider="stub",model="stub/embed",type="input"} 10',
    ]);
  });

  it('counts failures by their reason, and shows the paused provider', async () => {
    const { ask, lines } = start(failure, { providerFailureThreshold: 1, maxAttempts: 1 });
    expect(await lines('searchgate_provider_paused')).toEqual([
      'searchgate_provider_paused{provider="handbook",scope="all"} 0',
      'searchgate_provider_paused{provider="handbook",scope="some_organizations"} 0',
    ]);
    await expect(ask()).rejects.toMatchObject({ reason: 'upstream_error' });
    expect(await lines('searchgate_requests_total')).toEqual([
      'searchgate_requests_total{endpoint="answer",status="502",reason="upstream_error"} 1',
    ]);
    expect(await lines('searchgate_charged_usd_total')).toEqual([]);
    expect(await lines('searchgate_provider_paused')).toEqual([
      'searchgate_provider_paused{provider="handbook",scope="all"} 1',
      'searchgate_provider_paused{provider="handbook",scope="some_organizations"} 0',
    ]);
    expect(await lines('searchgate_provider_pauses_total')).toEqual([
      'searchgate_provider_pauses_total{provider="handbook",reason="upstream_error",scope="all"} 1',
    ]);
  });

  it('shows the keys of a provider by name and state', async () => {
    const keys = { pick: 'first', list: [{ name: 'main' }, { name: 'spare' }] } as const;
    const { gateway, lines } = start(undefined, {
      providers: [
        {
          ...everyPort,
          keys,
          search: {
            ...everyPort.search!,
            search: (call, context) =>
              context.keyName === 'main' ? Promise.reject(REJECTED) : everyPort.search!.search(call, context),
          },
        },
      ],
    });
    await gateway.search({ apiKey: { id: 'a-key', organizationId: 'acme' }, ...CALLS.search });
    expect(await lines('searchgate_provider_key')).toEqual([
      'searchgate_provider_key_failures_total{provider="stub",key="main",state="rejected"} 1',
      'searchgate_provider_key_state{provider="stub",key="main",state="rejected"} 1',
      'searchgate_provider_key_state{provider="stub",key="spare",state="serving"} 1',
    ]);
  });

  it('shows the calls in flight', async () => {
    let answer = (_outcome: AnswerOutcome): void => undefined;
    const { ask, lines } = start(() => new Promise((resolve) => (answer = resolve)));
    const pending = ask();
    await setImmediate();
    expect(await lines('searchgate_requests_in_flight')).toEqual(['searchgate_requests_in_flight 1']);
    expect(await lines('searchgate_holds_in_flight')).toEqual(['searchgate_holds_in_flight 1']);
    answer(OUTCOME);
    await pending;
    expect(await lines('searchgate_requests_in_flight')).toEqual(['searchgate_requests_in_flight 0']);
    expect(await lines('searchgate_settles_waiting')).toEqual(['searchgate_settles_waiting 0']);
  });

  it('has every metric from the start, so that no first failure is missed by a rate', async () => {
    const { register, lines } = start();
    const names = (await register.getMetricsAsJSON()).map(({ name }) => name);
    expect(names.sort()).toEqual((Object.keys(METRICS) as MetricName[]).map(prometheusName).sort());
    expect(await lines('searchgate_settle_given_up_total')).toEqual(['searchgate_settle_given_up_total 0']);
  });

  it('adds no series for 2,000 keys of 1,000 organizations', async () => {
    const organizations = Array.from({ length: 1_000 }, (_each, index) => `organization-${index}`);
    const credits = Object.fromEntries(['acme', ...organizations].map((id) => [id, '1.00']));
    const { gateway, ask, lines, series } = start(undefined, { ledger: memoryLedger({ credits }) });
    await ask();
    const before = await series();
    for (let each = 0; each < 2_000; each += 1) {
      const organizationId = organizations[each % organizations.length] ?? '';
      const apiKey = { id: `key-${each}`, label: `key ${each}`, organizationId };
      await gateway.answer({ apiKey, model: MODEL, query: `How much leave do I get in ${each}?` });
      // Yield before the bounded queue of events is full.
      if (each % 100 === 0) await setImmediate();
    }
    expect(await series()).toBe(before);
    expect(await lines('searchgate_requests_total')).toEqual([
      'searchgate_requests_total{endpoint="answer",status="200",reason="none"} 2001',
    ]);
  });

  it('has one label for 2,000 unknown models', async () => {
    const { ask, lines, series } = start();
    await expect(ask('no-such/model')).rejects.toMatchObject({ reason: 'model_not_found' });
    const first = await series();
    for (let each = 0; each < 2_000; each += 1) {
      await expect(ask(`no-such/model-${each}`)).rejects.toMatchObject({ reason: 'model_not_found' });
      if (each % 100 === 0) await setImmediate();
    }
    expect(await series()).toBe(first);
    expect(await lines('searchgate_request_duration_seconds_count')).toEqual([
      'searchgate_request_duration_seconds_count{endpoint="answer",model="unknown"} 2001',
    ]);
  });

  it('keeps counting when a gateway replaces another', async () => {
    const { ask, metrics, register, lines } = start();
    await ask();
    let answer = (_outcome: AnswerOutcome): void => undefined;
    const next = startGateway(() => new Promise((resolve) => (answer = resolve)));
    onTestFinished(() => next.gateway.close());
    const own = gatewayMetrics(next.gateway, { register });
    const pending = next.ask();
    await setImmediate();
    expect(await lines('searchgate_requests_in_flight')).toEqual(['searchgate_requests_in_flight 1']);
    expect(await lines('searchgate_provider_paused')).toEqual([
      'searchgate_provider_paused{provider="handbook",scope="all"} 0',
      'searchgate_provider_paused{provider="handbook",scope="some_organizations"} 0',
    ]);
    metrics.stop();
    answer(OUTCOME);
    await Promise.all([pending, ask()]);
    expect(await lines('searchgate_charged_usd_total')).toEqual([
      `searchgate_charged_usd_total{model="${MODEL}"} 0.02`,
    ]);
    own.stop();
    expect(await lines('searchgate_provider_paused')).toEqual([]);
  });

  it('registers its metrics again after the registry was cleared', async () => {
    const { gateway, ask, register, lines } = start();
    register.clear();
    gatewayMetrics(gateway, { register });
    await ask();
    expect(await lines('searchgate_requests_total')).toHaveLength(1);
  });

  it('is refused if the registry has a metric of the same name', () => {
    const register = new Registry();
    new Gauge({ name: 'searchgate_requests_total', help: 'Of the host.', registers: [register] });
    const { gateway } = startGateway();
    expect(() => gatewayMetrics(gateway, { register })).toThrow('searchgate_requests_total');
  });

  it('uses the OpenMetrics format if the registry does', async () => {
    const register = new Registry<OpenMetricsContentType>();
    register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const { gateway, ask } = startGateway();
    gatewayMetrics(gateway, { register });
    await ask();
    await setImmediate();
    const text = await register.metrics();
    expect(text).toContain('# TYPE searchgate_requests counter\n');
    expect(text).toContain('searchgate_requests_total{endpoint="answer",status="200",reason="none"} 1\n');
  });
});

describe('the handler', () => {
  it('serves the registry on a separate server', async () => {
    const { ask, metrics, register } = start();
    await ask();
    await setImmediate();
    const response = await get(metrics.handler);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, register.contentType]);
    expect(await response.text()).toBe(await register.metrics());
  });

  it('answers 500 if a metric of the host fails', async () => {
    const { metrics, register } = start();
    const collect = () => {
      throw new Error('broken');
    };
    new Gauge({ name: 'of_the_host', help: 'Fails.', registers: [register], collect });
    expect((await get(metrics.handler)).status).toBe(500);
  });
});

async function get(handler: ReturnType<typeof gatewayMetrics>['handler']): Promise<Response> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
}
