import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '@searchgate/core';
import { closeServer, protectServer } from '@searchgate/core/node';
import { createDashboard } from '@searchgate/dashboard';
import type { BuildAdminPage } from './admin-page.js';
import { mistakesOf } from './check-service.js';
import { type Environment, urlOf } from './environment.js';
import { hangup } from './hangup.js';
import { nodeListener } from './node-listener.js';
import { oneAtATime } from './one-at-a-time.js';
import { outliveOutputErrors } from './output-errors.js';
import { isBug, messageOf, problem, stackOf } from './problems.js';
import { serviceMetrics } from './process-metrics.js';
import { redactorOf } from './redactor.js';
import { createService, type Service, type ServiceOptions } from './service.js';

/** The page for operators. An organization of the service, if named, pays for the operators' questions. */
const dashboardPage: BuildAdminPage = ({ organizationId, ...host }) =>
  createDashboard({ ...host, ...(organizationId === null ? {} : { house: { organizationId } }) });

/** The parts of every service for its operators. */
const OPERATOR_PARTS = {
  adminPage: dashboardPage,
  metrics: serviceMetrics,
} as const satisfies ServiceOptions;

/** Limits the shutdown in case the ledger hangs; orchestrators kill after 30 s. */
const SHUTDOWN_TIMEOUT_MS = 25_000;
/** Longer than balancers keep idle connections (60 s): Node's 5 s would close one just when a call is sent on it. */
const KEEP_ALIVE_MS = 75_000;
/** For headers that are not finished. */
const SERVER_LIMITS = { maxHeaderSize: 8_192, connectionsCheckingInterval: 1_000 };
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGHUP_EXIT = 129;

/** What a program of the host adds to the server. */
export interface RunOptions extends ServiceOptions {
  /** Builds the server's request listener, for example with a framework. @default plain node:http */
  readonly buildHandler?: ((service: Service) => RequestListener) | undefined;
}

/**
 * Runs a server process: builds the service, listens, prints the start notice, reloads the configuration on SIGHUP, and stops in good order on SIGTERM,
 * SIGINT, or when its terminal closes. An error at the start is printed on stderr in one line, with exit code 1.
 *
 * @param environment such as `process.env`.
 */
export async function runService(environment: Environment, options: RunOptions = {}): Promise<void> {
  const { buildHandler = nodeListener } = options;
  outliveOutputErrors();
  let isRunning: (service: Service) => void = () => undefined;
  const running = new Promise<Service>((resolve) => (isRunning = resolve));
  const onReload = oneAtATime(async () => (await running).reload());
  let leave = (): void => process.exit(SIGHUP_EXIT);
  // Without a listener, a SIGHUP during the start would end the process.
  process.on('SIGHUP', hangup({ onTerminalGone: () => leave(), onReload }));
  try {
    const service = await createService(environment, { ...OPERATOR_PARTS, ...options });
    if (service.metrics !== null) await serveMetrics(service.metrics, service);
    const server = createServer(SERVER_LIMITS, service.continueTrace(buildHandler(service)));
    protectServer(server, service);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    const port = await listen(server, service);
    service.log.info({ host: service.host, port }, 'listening');
    // Last, so that the command to paste is the last line on the screen.
    process.stdout.write(service.notice(urlOf(service.host, port)));
    leave = stopOnSignals(server, service);
    isRunning(service);
  } catch (error) {
    const reason =
      error instanceof ConfigurationError ? await mistakesOf(environment, error, options.localPorts) : error;
    process.stderr.write(redactorOf(environment)(`Searchgate could not start.\n${reasonOf(reason)}\n`));
    process.exitCode = 1;
  }
}

/** Serves metrics until the process ends. The server is unreferenced, so it does not keep the process alive. */
async function serveMetrics({ port, handler }: NonNullable<Service['metrics']>, { host, log }: Service): Promise<void> {
  const server = createServer(SERVER_LIMITS, handler).unref();
  protectServer(server);
  const listening = await listen(server, { port, host }).catch((error: unknown) => {
    if (isAboutHost(error)) throw error;
    throw problem('METRICS_PORT', `${port} (${messageOf(error)})`, 'a port that is free');
  });
  log.info({ host, port: listening }, 'metrics are served');
}

function listen(server: Server, { port, host }: Pick<Service, 'port' | 'host'>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The first signal stops the service in good order, a second signal ends the process at once. @returns a function for a closed terminal. */
function stopOnSignals(server: Server, service: Service): () => void {
  const begin = (signal: string): void => {
    service.log.info({ signal }, 'stopping');
    // Only SIGTERM comes from an orchestrator with a load balancer; a person at a terminal should not wait.
    void stop(server, service, signal === 'SIGTERM' ? service.drainDelayMs() : 0);
  };
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (service.isClosing()) process.exit(exitCode);
      begin(signal);
    });
  }
  // Shell and system may both report the closed terminal: the second report must not end the process.
  return () => {
    if (!service.isClosing()) begin('SIGHUP');
  };
}

/**
 * Says at `/readyz` that the service stops, and serves calls for a while, until load balancers have seen it. Then refuses new calls, and ends with the
 * last one in flight.
 */
async function stop(server: Server, service: Service, delayMs: number): Promise<void> {
  const timer = setTimeout(() => {
    service.log.error('calls in flight did not end in time');
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_MS);
  service.drain();
  await sleep(delayMs);
  await closeServer(server, service.close());
  clearTimeout(timer);
  service.log.info('stopped');
  process.exit(0);
}

/** The message for the operator; a stack only for a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message.replace(/^/gm, '  ');
  if (!(error instanceof Error)) return `  ${String(error)}`;
  if (isAboutHost(error)) return `  HOST: ${error.address ?? error.hostname ?? 'it'} is not a local address.`;
  const { code, syscall, address, port } = error as ListenError;
  // Files have errors with the same codes.
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `  PORT: ${port} on ${address} is in use by another program. Stop it, or set PORT to another port.`;
  if (syscall === 'listen' && code === 'EACCES')
    return `  PORT: this user may not listen on ${port}. Set PORT to 1024 or above.`;
  return isBug(error) ? stackOf(error) : `  ${messageOf(error)}`;
}

interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** Whether the host cannot be listened on, whatever the port. */
function isAboutHost(error: unknown): error is ListenError {
  const { code, syscall } = error as Partial<ListenError>;
  return code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo';
}
