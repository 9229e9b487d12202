import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError } from '@searchgate/core';
import { closeServer } from '@searchgate/core/node';
import { createDashboard } from '@searchgate/dashboard';
import { gatewayMetrics } from '@searchgate/prometheus';
import type { BuildAdminPage } from './admin-page.js';
import { type Environment, urlOf } from './environment.js';
import { hangup } from './hangup.js';
import { nodeListener } from './node-listener.js';
import { oneAtATime } from './one-at-a-time.js';
import { outliveOutputErrors } from './output-errors.js';
import { isBug, messageOf, problem, stackOf } from './problems.js';
import { createService, type Service, type ServiceOptions } from './service.js';

/** The page for operators. Their questions are paid for by an organization of the service, where one was named. */
const dashboardPage: BuildAdminPage = ({ organizationId, ...host }) =>
  createDashboard({ ...host, ...(organizationId === null ? {} : { house: { organizationId } }) });

/** What every service has for its operators. */
const OPERATOR_PARTS = {
  adminPage: dashboardPage,
  metrics: gatewayMetrics,
} as const satisfies ServiceOptions;

/** A net under stopping, for a ledger that hangs; orchestrators kill after 30 s. */
const SHUTDOWN_TIMEOUT_MS = 25_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;
const SIGHUP_EXIT = 129;

export interface RunOptions extends ServiceOptions {
  /** Builds the server's request listener, for a framework of the host's choice. Default: plain node:http. */
  readonly buildHandler?: ((service: Service) => RequestListener) | undefined;
}

/**
 * Runs a server process: builds the service, listens, prints the start notice, loads the configuration again on SIGHUP, and stops in good order on SIGTERM
 * or SIGINT, and when its terminal is closed. An error that keeps it from starting is printed on stderr in one line, with exit code 1.
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
  // Without a listener, SIGHUP would end the process while it starts.
  process.on('SIGHUP', hangup({ onTerminalGone: () => leave(), onReload }));
  try {
    const service = await createService(environment, { ...OPERATOR_PARTS, ...options });
    if (service.metrics !== null) await serveMetrics(service.metrics, service);
    const server = createServer(buildHandler(service));
    const port = await listen(server, service);
    service.log.info({ host: service.host, port }, 'listening');
    // Last, so that the command to paste is the last thing an operator sees.
    process.stdout.write(service.notice(urlOf(service.host, port)));
    leave = stopOnSignals(server, service);
    isRunning(service);
  } catch (error) {
    process.stderr.write(`Searchgate could not start.\n${reasonOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** Served until the process ends, which does not wait for it. */
async function serveMetrics({ port, handler }: NonNullable<Service['metrics']>, { host, log }: Service): Promise<void> {
  const server = createServer(handler).unref();
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

/** The first signal stops the service in good order, a second one ends the process at once. @returns what stops it when the terminal is gone. */
function stopOnSignals(server: Server, service: Service): () => void {
  const begin = (signal: string): void => {
    service.log.info({ signal }, 'stopping');
    // Who presses Ctrl-C or closes the terminal is no load balancer, and waits.
    void stop(server, service, signal === 'SIGTERM' ? service.shutdownDelayMs : 0);
  };
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      if (service.isClosing()) process.exit(exitCode);
      begin(signal);
    });
  }
  // Shell and system may both say that the terminal is gone: the second time is no hurry.
  return () => {
    if (!service.isClosing()) begin('SIGHUP');
  };
}

/**
 * Refuses calls at once, but keeps listening for a while. Load balancers see at `/readyz` that they should send no more calls here. A call that
 * still arrives gets a response that says to try again, not a refused connection.
 */
async function stop(server: Server, service: Service, delayMs: number): Promise<void> {
  const timer = setTimeout(() => {
    service.log.error('calls in flight did not end in time');
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_MS);
  const drained = service.close();
  await sleep(delayMs);
  await closeServer(server, drained);
  clearTimeout(timer);
  service.log.info('stopped');
  process.exit(0);
}

/** What an operator can act on; a stack only for what must be a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message.replace(/^/gm, '  ');
  if (!(error instanceof Error)) return `  ${String(error)}`;
  if (isAboutHost(error)) return `  HOST: ${error.address ?? error.hostname ?? 'it'} is no address of this machine.`;
  const { code, syscall, address, port } = error as ListenError;
  // Files have errors of the same codes.
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

/** Whether nothing can listen on the host, whichever the port is. */
function isAboutHost(error: unknown): error is ListenError {
  const { code, syscall } = error as Partial<ListenError>;
  return code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo';
}
