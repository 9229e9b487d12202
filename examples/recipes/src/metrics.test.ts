import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { recordMetrics } from './metrics.js';
import { MODEL, SECRET, startGateway } from './test-gateway.js';

it('counts answers, charges, attempts and pauses, and stops when asked to', async () => {
  const { gateway } = startGateway({ failures: 1 });
  const registry = new Registry();
  const stop = recordMetrics(gateway, registry);
  const ask = () => gateway.answer({ apiKey: SECRET, model: MODEL, query: 'How much leave do I get?' });

  await expect(ask()).rejects.toMatchObject({ reason: 'upstream_error' });
  await setImmediate();
  const failed = await registry.metrics();
  expect(failed).toContain('searchgate_attempts_total{provider="handbook",outcome="upstream_error"} 1');
  expect(failed).toContain('searchgate_provider_paused{provider="handbook"} 1');
  expect(failed).not.toContain('searchgate_charged_usd_total{');
  await gateway.close();

  const second = startGateway();
  const other = new Registry();
  const stopOther = recordMetrics(second.gateway, other);
  const askSecond = () => second.gateway.answer({ apiKey: SECRET, model: MODEL, query: 'How much leave do I get?' });
  await askSecond();
  await setImmediate();
  stopOther();
  await askSecond();
  await setImmediate();
  const answered = await other.metrics();
  expect(answered).toContain('searchgate_requests_total{endpoint="answer",status="200",reason="none"} 1');
  expect(answered).toContain(`searchgate_charged_usd_total{model="${MODEL}"} 0.01`);
  stop();
  await second.gateway.close();
});
