// What a gateway is measured by, for packages that keep metrics
export { METRICS, type MetricDefinition, type MetricLabels, type MetricName } from './metric-table.js';
export { type MeteredGateway, type RecordMetric, recordGauges, recordMetrics } from './record-metrics.js';
