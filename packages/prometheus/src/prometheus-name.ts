import { METRICS, type MetricName } from '@searchgate/core/metrics';

/** The Prometheus name of a metric, as OpenTelemetry's exporters derive it: `searchgate.requests` is `searchgate_requests_total`. */
export function prometheusName(name: MetricName): string {
  const { kind, unit } = METRICS[name];
  return `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}${kind === 'counter' ? '_total' : ''}`;
}
