import { createNoopMeter, type Meter, type MeterProvider, metrics, type ObservableGauge } from '@opentelemetry/api';
import {
  METRICS,
  type MeteredGateway,
  type MetricDefinition,
  type MetricName,
  recordGauges,
  recordMetrics,
} from '@searchgate/core/metrics';
import { SCOPE } from './scope.js';

/** Where the metrics go. */
export interface GatewayMetricsOptions {
  /** Makes the meters. @default the provider registered with the API at the time of the call */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Records the metrics of a gateway. Does nothing without a registered SDK, so start the SDK first. When a gateway replaces another, stop the
 * metrics of the old gateway first: both would count into the same metrics.
 *
 * @returns a function that stops the recording.
 */
export function gatewayMetrics(
  gateway: MeteredGateway,
  { meterProvider = metrics.getMeterProvider() }: GatewayMetricsOptions = {},
): () => void {
  const meter = meterProvider.getMeter(SCOPE.name, SCOPE.version);
  if (meter === createNoopMeter()) return () => undefined;
  const { adders, gauges } = createInstruments(meter);
  const unsubscribe = recordMetrics(gateway, (name, value, labels) => adders.get(name)?.(value, labels));
  const observe: Parameters<Meter['addBatchObservableCallback']>[0] = (result) =>
    recordGauges(gateway, (name, value, labels) => {
      const gauge = gauges.get(name);
      if (gauge !== undefined) result.observe(gauge, value, labels);
    });
  meter.addBatchObservableCallback(observe, [...gauges.values()]);
  return () => {
    unsubscribe();
    meter.removeBatchObservableCallback(observe, [...gauges.values()]);
  };
}

type Add = (value: number, labels: Readonly<Record<string, string>>) => void;

interface Instruments {
  /** Counters and histograms. */
  readonly adders: ReadonlyMap<MetricName, Add>;
  readonly gauges: ReadonlyMap<MetricName, ObservableGauge>;
}

function createInstruments(meter: Meter): Instruments {
  const adders = new Map<MetricName, Add>();
  const gauges = new Map<MetricName, ObservableGauge>();
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const definition: MetricDefinition = METRICS[name];
    if (definition.kind === 'gauge') gauges.set(name, meter.createObservableGauge(name, optionsOf(definition)));
    else adders.set(name, createAdder(meter, name, definition));
  }
  return { adders, gauges };
}

function createAdder(meter: Meter, name: MetricName, definition: MetricDefinition): Add {
  const options = optionsOf(definition);
  if (definition.kind === 'histogram') {
    const advice = { explicitBucketBoundaries: [...(definition.buckets ?? [])] };
    const histogram = meter.createHistogram(name, { ...options, advice });
    return (value, labels) => histogram.record(value, labels);
  }
  const counter = meter.createCounter(name, options);
  // Exported from the start, so that the first failure is an increase.
  if (definition.labels.length === 0) counter.add(0);
  return (value, labels) => counter.add(value, labels);
}

function optionsOf({ unit, description }: MetricDefinition) {
  return { unit, description };
}
