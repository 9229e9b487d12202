import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tracer } from '@searchgate/core/extensions';
import type { Environment } from './environment.js';
import { loadOptional } from './optional-package.js';

/** Any of these turns tracing on. The SDK reads them and all other standard variables itself. */
const VARIABLES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
] as const;
const PACKAGES = '@searchgate/opentelemetry @opentelemetry/sdk-node';
/** A collector that is gone must not hold up the end of the process. */
const MOST_FLUSH_MS = 2_000;

/** Spans of calls, sent as the standard `OTEL_*` variables say. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Lets the spans of a request be children of the caller's span, named in `traceparent`. */
  continueTrace(listener: RequestListener): RequestListener;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Whether everything that tracing needs is installed. @throws ConfigurationError naming the packages to install. */
export async function checkTracing(environment: Environment): Promise<void> {
  const path = variableOf(environment);
  if (path !== undefined) await loadPackages(path);
}

/** Starts tracing if the environment asks for it. @throws ConfigurationError as {@link checkTracing}. */
export async function startTracing(environment: Environment): Promise<Tracing | null> {
  const path = variableOf(environment);
  if (path === undefined) return null;
  const [{ gatewayTracer }, { NodeSDK, api }] = await loadPackages(path);
  const serviceName = environment['OTEL_SERVICE_NAME'] || 'searchgate';
  // Spans alone: METRICS_PORT serves the metrics.
  const sdk = new NodeSDK({ serviceName, metricReaders: [], logRecordProcessors: [] });
  sdk.start();
  const { context, propagation } = api;
  return {
    tracer: gatewayTracer(),
    continueTrace: (listener) => (request, response) => {
      context.with(propagation.extract(context.active(), request.headers), () => listener(request, response));
    },
    async stop() {
      // What cannot be sent is lost: the SDK has said so.
      await Promise.race([sdk.shutdown().catch(() => undefined), sleep(MOST_FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

function variableOf(environment: Environment): string | undefined {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none')
    return;
  return VARIABLES.find((name) => environment[name]);
}

async function loadPackages(path: string) {
  return loadOptional({ path, name: PACKAGES }, () =>
    Promise.all([import('@searchgate/opentelemetry'), import('@opentelemetry/sdk-node')]),
  );
}
