import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  METRICS,
  type MeteredGateway,
  type MetricDefinition,
  type MetricName,
  recordGauges,
  recordMetrics,
} from '@searchgate/core/metrics';
import {
  Counter,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  register as ownRegister,
  type Registry,
} from 'prom-client';
import { prometheusName } from './prometheus-name.js';

/** A registry of either exposition format. */
type AnyRegistry = Registry | Registry<OpenMetricsContentType>;

/** Where the metrics are registered. */
export interface GatewayMetricsOptions {
  /** The registry of the metrics. @default prom-client's `register` */
  readonly register?: AnyRegistry | undefined;
}

/** The metrics of one gateway in a registry. */
export interface GatewayMetrics {
  /**
   * Answers any request with all metrics of the registry: `createServer(metrics.handler).listen(9464, '127.0.0.1')`, or
   * `app.get('/metrics', metrics.handler)`. Never throws; if a metric of the host fails, the status is 500.
   */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** Stops counting. The counters keep their values, for a gateway that replaces this gateway. */
  stop(): void;
}

/**
 * Registers the metrics of a gateway. Gateways on one registry share them: counters and calls in flight are summed; the state of a provider is
 * the state in the gateway registered last.
 *
 * @throws Error of prom-client if the registry has a foreign metric of the same name.
 */
export function gatewayMetrics(
  gateway: MeteredGateway,
  { register = ownRegister }: GatewayMetricsOptions = {},
): GatewayMetrics {
  const { gateways, record } = metersOf(register);
  gateways.add(gateway);
  const unsubscribe = recordMetrics(gateway, record);
  return {
    handler: (_request, response) => void send(register, response),
    stop() {
      gateways.delete(gateway);
      unsubscribe();
    },
  };
}

type Labels = Readonly<Record<string, string>>;
type Meter = (labels: Labels, value: number) => void;

/** The metrics of one registry. */
interface Meters {
  readonly gateways: Set<MeteredGateway>;
  record(name: MetricName, value: number, labels: Labels): void;
}

const NAMES = Object.keys(METRICS) as MetricName[];
const metersByRegister = new WeakMap<AnyRegistry, Meters>();

function metersOf(register: AnyRegistry): Meters {
  const known = metersByRegister.get(register);
  // A cleared registry has lost the metrics: register them again.
  if (known !== undefined && NAMES.every((name) => register.getSingleMetric(prometheusName(name)) !== undefined))
    return known;
  const gateways = new Set<MeteredGateway>();
  const meters = new Map(NAMES.map((name) => [name, createMeter(name, register, gateways)]));
  const made: Meters = { gateways, record: (name, value, labels) => meters.get(name)?.(labels, value) };
  metersByRegister.set(register, made);
  return made;
}

function createMeter(name: MetricName, register: AnyRegistry, gateways: ReadonlySet<MeteredGateway>): Meter {
  const { kind, description: help, labels: labelNames, buckets = [] }: MetricDefinition = METRICS[name];
  const registers = [register as Registry];
  const common = { name: prometheusName(name), help, labelNames: [...labelNames], registers };
  if (kind === 'gauge') {
    const gauge: Gauge = new Gauge({ ...common, collect: () => read(gauge, name, gateways) });
    return (labels, value) => gauge.set(labels, value);
  }
  if (kind === 'counter') {
    const counter = new Counter(common);
    return (labels, value) => counter.inc(labels, value);
  }
  const histogram = new Histogram({ ...common, buckets: [...buckets] });
  return (labels, value) => histogram.observe(labels, value);
}

/** Sets a gauge to the current sum over the gateways. */
function read(gauge: Gauge, name: MetricName, gateways: ReadonlySet<MeteredGateway>): void {
  gauge.reset();
  for (const gateway of gateways) {
    recordGauges(gateway, (each, value, labels) => {
      if (each !== name) return;
      if (Object.keys(labels).length === 0) gauge.inc(value);
      else gauge.set(labels, value);
    });
  }
}

async function send(register: AnyRegistry, response: ServerResponse): Promise<void> {
  try {
    const text = await register.metrics();
    response.setHeader('content-type', register.contentType).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
