export { type GatewayMetrics, gatewayMetrics, type GatewayMetricsOptions } from './gateway-metrics.js';
export { prometheusName } from './prometheus-name.js';
