export { gatewayMetrics, type GatewayMetricsOptions } from './gateway-metrics.js';
export { gatewayTracer, type GatewayTracerOptions } from './gateway-tracer.js';
