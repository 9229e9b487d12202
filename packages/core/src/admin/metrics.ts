// The metrics of a gateway, for packages that export them
export { METRICS, type MetricDefinition, type MetricLabels, type MetricName } from './metric-table.js';
export { type MeteredGateway, type RecordMetric, recordGauges, recordMetrics } from './record-metrics.js';
