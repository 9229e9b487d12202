import type { Gateway, GatewayEvent } from '@searchgate/core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const NANO_PER_USD = 1e9;

/**
 * Counts a gateway's events for Prometheus. Ids of keys and organizations are no labels: their number has no bound.
 * @returns a function that stops it.
 */
export function recordMetrics(gateway: Pick<Gateway, 'on'>, registry: Registry): () => void {
  const meters = createMeters(registry);
  return gateway.on((event) => record(meters, event));
}

function record(meters: Meters, event: GatewayEvent): void {
  switch (event.type) {
    case 'request_finished': {
      const { endpoint, status, reason, model, cost, durationMs } = event;
      meters.requests.inc({ endpoint, status, reason: reason ?? 'none' });
      meters.seconds.observe({ endpoint }, durationMs / 1_000);
      if (cost !== null) meters.charged.inc({ model: model ?? 'none' }, Number(cost) / NANO_PER_USD);
      break;
    }
    case 'attempt_finished':
      meters.attempts.inc({ provider: event.provider, outcome: event.outcome });
      break;
    case 'provider_paused':
    case 'provider_resumed':
      // A pause for one organization says little about the provider.
      if (event.organizationId === null)
        meters.paused.set({ provider: event.provider }, event.type === 'provider_paused' ? 1 : 0);
      break;
    case 'ledger_settle_failed':
      if (event.final) meters.unsettled.inc();
      break;
    default:
      break;
  }
}

type Meters = ReturnType<typeof createMeters>;

function createMeters(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'searchgate_requests_total',
      help: 'Requests that have ended.',
      labelNames: ['endpoint', 'status', 'reason'],
      registers,
    }),
    seconds: new Histogram({
      name: 'searchgate_request_seconds',
      help: 'Time from the request to its end.',
      labelNames: ['endpoint'],
      buckets: [0.005, 0.05, 0.5, 1, 2, 5, 10, 30, 60, 120],
      registers,
    }),
    charged: new Counter({
      name: 'searchgate_charged_usd_total',
      help: 'Charged to callers, in USD.',
      labelNames: ['model'],
      registers,
    }),
    attempts: new Counter({
      name: 'searchgate_attempts_total',
      help: 'Attempts at providers, by how they ended.',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    paused: new Gauge({
      name: 'searchgate_provider_paused',
      help: '1 while a provider is paused for every organization.',
      labelNames: ['provider'],
      registers,
    }),
    unsettled: new Counter({
      name: 'searchgate_unsettled_total',
      help: 'Charges that were given up and have to be recorded by hand.',
      registers,
    }),
  };
}
