import type { RequestListener } from 'node:http';
import type { Gateway } from '@searchgate/core';
import { gatewayMetrics } from '@searchgate/prometheus';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import manifest from '../package.json' with { type: 'json' };

/** The metrics of a gateway, with those of its process and the version that runs. */
export function serviceMetrics(gateway: Gateway): { readonly handler: RequestListener } {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const build = { version: manifest.version, node: process.versions.node };
  const help = 'The version of the server and of Node.';
  new Gauge({ name: 'searchgate_build_info', help, labelNames: ['version', 'node'], registers: [register] }).set(
    build,
    1,
  );
  return gatewayMetrics(gateway, { register });
}
