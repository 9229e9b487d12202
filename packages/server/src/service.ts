import type { RequestListener } from 'node:http';
import { type ApiKeyStore, ConfigurationError, type Gateway, hashApiKey } from '@searchgate/core';
import type { Tracer } from '@searchgate/core/extensions';
import { oneLine } from '@searchgate/core/ledger';
import type { KindPorts, Provider } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type AdminPage, type BuildAdminPage, openAdminPage } from './admin-page.js';
import { applyConfig } from './apply-config.js';
import { buildGateway } from './build-gateway.js';
import { mistakesOf, refuseTogether } from './check-service.js';
import { readConfigFile, type ServerConfig } from './config-file.js';
import { type ConfiguredKey, configuredKeys } from './configured-keys.js';
import { createProviders } from './create-providers.js';
import { demoConfig } from './demo-config.js';
import { type DemoSecret, demoSecret } from './demo-secret.js';
import { type Environment, readEnvironment, type Settings } from './environment.js';
import { hostHandler, type NodeHandler } from './host-handler.js';
import { type DemoDocuments, indexedDocuments, shippedDocuments } from './indexed-documents.js';
import { dataFolderOf, describeAddress, type LedgerAddress } from './ledger/ledger-address.js';
import { type OpenLedger, openLedger } from './ledger/open-ledger.js';
import { logEvent } from './log-events.js';
import { watchOperators } from './login/watch-operators.js';
import { messageOf, problem } from './problems.js';
import { redactorOf } from './redactor.js';
import { replaceableGateway } from './replaceable-gateway.js';
import { type DemoNotice, startNotice } from './start-notice.js';
import { startTracing } from './tracing.js';
import { isTrusted } from './trusted-proxies.js';
import { unreadVariables } from './unread-variables.js';

const STDERR = 2;
/** Limit for unwritten log lines. Further lines are dropped. */
const MAX_KEPT_BYTES = 1_048_576;

/**
 * Logs to stderr, line by line in order, since the last lines before an exit matter most. If writing fails, as on a full disk, the process goes on: the
 * lines are retried with the next line.
 */
function logDestination(): DestinationStream {
  const destination = pino.destination({ dest: STDERR, sync: true, maxLength: MAX_KEPT_BYTES });
  // Without a listener, the error would end the process.
  destination.on('error', () => undefined);
  return { write: (line) => destination.write(oneLine(line)) };
}

function openLog({ logLevel, logFormat }: Settings, environment: Environment): Logger {
  const iso = { formatters: { level: (level: string) => ({ level }) }, timestamp: pino.stdTimeFunctions.isoTime };
  const options = { level: logLevel, serializers: { error: pino.stdSerializers.err }, ...(logFormat === 'iso' && iso) };
  const log = pino(options, logDestination());
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    log.warn(
      'NODE_TLS_REJECT_UNAUTHORIZED is 0: connections to databases and webhooks trust any certificate; those to providers do not. Use NODE_EXTRA_CA_CERTS instead',
    );
  return log;
}

/** A gateway built from the environment and a JSON file, with the parts that a server needs. */
export interface Service {
  /** The same object after a reload. */
  readonly gateway: Gateway;
  /** JSON lines on stderr. */
  readonly log: Logger;
  /** Of `PORT`; 0 for any free port. */
  readonly port: number;
  /** The address to listen at, of `HOST`. */
  readonly host: string;
  /** Whether a connection comes from a trusted proxy. */
  isProxy(address: string): boolean;
  /** How long to serve calls after `/readyz` has begun to report the shutdown to load balancers. */
  drainDelayMs(): number;
  /** Served on a separate port; `null` for none. */
  readonly metrics: { readonly port: number; readonly handler: RequestListener } | null;
  /** Serves all other requests: `/healthz`, `/readyz`, `/admin`, the service's own documents, and 404 for the rest. */
  readonly handleOthers: NodeHandler;
  /**
   * Reloads the JSON file. Calls in flight end under the old configuration; no call is refused. If the file is invalid, nothing changes and the log says
   * why. Never rejects.
   */
  reload(): Promise<void>;
  /** Makes `/readyz` fail, so that load balancers send no more calls. Calls are still served. */
  drain(): void;
  /** True after `drain` or `close` was called. */
  isClosing(): boolean;
  /** Lets the spans of a request be children of the caller's span, if there is tracing. */
  continueTrace(listener: RequestListener): RequestListener;
  /** The start notice for the operator, for a service at `url`. */
  notice(url: string): string;
  /** Refuses new calls, waits for calls in flight (20 s and the delay together), aborts the rest, and closes the ledger and its connection. */
  close(): Promise<void>;
}

/** What a program of the host adds to the service. */
export interface ServiceOptions {
  /** The documents of `local/docs` without `SEARCHGATE_DOCS_DIR`. @default the documentation of Searchgate */
  readonly documents?: (() => DemoDocuments) | undefined;
  /** Further kinds of calls that the provider `local` serves. @default none: it answers from its documents, finds and reads them */
  readonly localPorts?: KindPorts | undefined;
  /** The admin command as the operator types it. @default `searchgate admin` */
  readonly adminCommand?: string | undefined;
  /** A page for operators, mounted at `/admin` behind a password. @default none */
  readonly adminPage?: BuildAdminPage | undefined;
  /** Metrics of the gateway, served on `METRICS_PORT`. @default none */
  readonly metrics?: ((gateway: Gateway) => { readonly handler: RequestListener }) | undefined;
}

/** Delay and drain together leave time to release aborted calls before an orchestrator kills the process, 30 s after its signal. */
const SHUTDOWN_MS = 20_000;
const DEFAULT_DRAIN_DELAY_MS = 5_000;

/**
 * Builds the gateway from the environment. The log goes to stderr as JSON lines; stdout is for people.
 *
 * @throws ConfigurationError for every mistake of the operator.
 */
export async function createService(environment: Environment, options: ServiceOptions = {}): Promise<Service> {
  const { documents: demoDocuments = shippedDocuments, adminCommand = 'searchgate admin', localPorts } = options;
  const settings = readEnvironment(environment);
  refuseWithoutUse(settings, options);
  const log = openLog(settings, environment);
  const { documents, pages, ...shown } = indexedDocuments(settings.docs, demoDocuments);
  const readConfig = () => serviceConfig(settings, environment);
  const config = await readConfig();
  const tracing = await startTracing(environment);
  const opened = await openLedger(settings, log);
  const own = [{ ...localDocs({ documents }), ...localPorts }];
  const parts = { log, environment, own, tracer: tracing?.tracer };
  const build = (next: ServiceConfig) =>
    buildAndApply(next, opened, { ...parts, isDurable: settings.ledger.engine !== 'memory' });
  let { config: inUse } = config;
  const { current, demo, admin } = await begin().catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const { gateway, replace } = current;
  let closing = false;

  async function serve(next: ServiceConfig): Promise<void> {
    await replace(await build(next));
    inUse = next.config;
  }

  async function begin() {
    const replaceable = replaceableGateway(await build(config));
    return {
      current: replaceable,
      demo: config.demo === null ? null : await demoNotice(config.demo, opened.apiKeys, settings.ledger),
      admin: await adminPageOf(options.adminPage, {
        ...parts,
        gateway: replaceable.gateway,
        opened,
        settings,
        inUse: () => inUse,
        // The demo has one organization; with a configuration, its first is the default.
        organizationId: config.config.adminOrganization ?? config.config.organizations?.[0]?.id ?? null,
      }),
    };
  }

  return {
    gateway,
    log,
    port: settings.port,
    host: settings.host,
    isProxy: (address) => isTrusted(inUse.trustProxy ?? 0)(address, 0),
    drainDelayMs: () => inUse.drainDelayMs ?? DEFAULT_DRAIN_DELAY_MS,
    continueTrace: (listener) => tracing?.continueTrace(listener) ?? listener,
    drain: () => (closing = true),
    metrics: metricsOf(gateway, settings, options),
    handleOthers: hostHandler({
      admin,
      isClosing: () => closing,
      gateway,
      page: (path) => pages.get(path),
    }),
    async reload() {
      if (!closing) await reload(settings, { log, serve, readConfig, environment, localPorts });
    },
    isClosing: () => closing,
    notice: (url) => startNotice({ gateway, url, demo, ...shown, page: documents[0]?.url ?? '', adminCommand, admin }),
    async close() {
      closing = true;
      admin?.close();
      await gateway.close();
      await opened.close();
      await tracing?.stop();
    },
  };
}

/** A setting without effect is an error, so that it does not seem to work. */
function refuseWithoutUse(
  { adminPasswordHash, adminOrganization, metricsPort }: Settings,
  { adminPage, metrics }: ServiceOptions,
): void {
  const noPage = 'nothing: this server has no page for operators';
  if (adminPasswordHash !== null && adminPage === undefined) throw problem('ADMIN_PASSWORD_HASH', 'a value', noPage);
  if (adminOrganization !== null && adminPage === undefined)
    throw problem('SEARCHGATE_ADMIN_ORGANIZATION', JSON.stringify(adminOrganization), noPage);
  if (metricsPort !== null && metrics === undefined)
    throw problem('METRICS_PORT', String(metricsPort), 'nothing: this server has no metrics');
}

interface AdminDeps {
  readonly gateway: Gateway;
  readonly opened: OpenLedger;
  readonly log: Logger;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly inUse: () => ServerConfig;
  readonly organizationId: string | null;
}

async function adminPageOf(
  build: BuildAdminPage | undefined,
  { settings: { ledger, adminPasswordHash, configFile }, environment, inUse, ...deps }: AdminDeps,
): Promise<AdminPage | null> {
  if (build === undefined) return null;
  const folder = ledger.engine === 'memory' ? null : dataFolderOf(ledger);
  return openAdminPage(build, {
    ...deps,
    trustProxy: () => inUse().trustProxy ?? 0,
    managementTokens: () => inUse().managementTokens ?? [],
    operators: watchOperators(configFile, environment, deps.log),
    passwordHash: adminPasswordHash,
    folder,
  });
}

function metricsOf(gateway: Gateway, { metricsPort }: Settings, { metrics }: ServiceOptions): Service['metrics'] {
  if (metricsPort === null || metrics === undefined) return null;
  return { port: metricsPort, handler: metrics(gateway).handler };
}

interface Reload extends Pick<ServiceOptions, 'localPorts'> {
  readonly log: Logger;
  readConfig(): Promise<ServiceConfig>;
  serve(config: ServiceConfig): Promise<void>;
  readonly environment: Environment;
}

async function reload(settings: Settings, { log, serve, readConfig, environment, localPorts }: Reload): Promise<void> {
  const { configFile } = settings;
  if (configFile === null) {
    log.warn('there is no SEARCHGATE_CONFIG to reload');
    return;
  }
  try {
    await serve(await readConfig());
    log.info({ configFile }, 'the configuration was reloaded');
  } catch (error) {
    const problems =
      error instanceof ConfigurationError
        ? (await mistakesOf(environment, error, localPorts)).message.split('\n')
        : [messageOf(error)];
    log.error(
      { configFile, problems: problems.map(redactorOf(environment)) },
      'the configuration was not reloaded; the previous configuration stays in use',
    );
  }
}

interface Host {
  readonly log: Logger;
  readonly environment: Environment;
  /** The providers of the service itself. */
  readonly own: readonly Provider[];
  readonly isDurable: boolean;
  readonly tracer: Tracer | undefined;
}

/** Builds the gateway, which checks the whole configuration, before the configuration is written to the ledger. */
async function buildAndApply(
  { config, keys, demo }: ServiceConfig,
  opened: OpenLedger,
  { log, environment, own, isDurable, tracer }: Host,
): Promise<Gateway> {
  const gateway = await buildGateway(config, {
    // Made anew, so that a key that has changed is used from a reload on.
    providers: createProviders(environment, config, own),
    ledger: opened.ledger,
    apiKeys: opened.apiKeys,
    requests: opened.requests,
    tenantKeys: opened.tenantKeys,
    drainTimeoutMs: SHUTDOWN_MS - (config.drainDelayMs ?? DEFAULT_DRAIN_DELAY_MS),
    tracer,
    logger: log,
    onEvent: (event) => {
      logEvent(log, event);
    },
  });
  for (const hint of unreadVariables(environment, config)) log.warn(hint);
  try {
    const { organizations, budgets } = config;
    const changes = { changesKeys: demo === null, refusesExpired: isDurable };
    await applyConfig(opened, { organizations, budgets, keys }, { log, nowMs: Date.now(), ...changes });
    return gateway;
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

async function demoNotice(
  { secret, file }: DemoSecret,
  apiKeys: ApiKeyStore,
  address: LedgerAddress,
): Promise<DemoNotice> {
  const key = await apiKeys.findByHash(hashApiKey(secret));
  return {
    secret,
    limit: key?.limit ?? null,
    limitReset: key?.limitReset ?? null,
    isRevoked: key?.revokedAtMs != null,
    kept: file === null ? null : { ledger: describeAddress(address), keyFile: file },
  };
}

/** The configuration of a service: the operator's, or the demo's. */
interface ServiceConfig {
  readonly config: ServerConfig;
  /** The checked API keys of the configuration. */
  readonly keys: readonly ConfiguredKey[];
  /** The demo's key; `null` with an operator's configuration. */
  readonly demo: DemoSecret | null;
}

/** Reads the configuration, or makes the demo's. @throws ConfigurationError listing its problems. */
async function serviceConfig(
  { configFile, ledger, ...settings }: Settings,
  environment: Environment,
): Promise<ServiceConfig> {
  const { trustProxy, adminOrganization, drainDelayMs } = settings;
  const own = {
    ...(trustProxy !== null && { trustProxy }),
    ...(adminOrganization !== null && { adminOrganization }),
    ...(drainDelayMs !== null && { drainDelayMs }),
  };
  if (configFile === null) {
    const demo = demoSecret(ledger.engine === 'memory' ? null : dataFolderOf(ledger));
    const config = { ...demoConfig(demo.secret), ...own };
    return { config, keys: await configuredKeys(config), demo };
  }
  const config = readConfigFile(configFile, environment);
  const keys = await configuredKeys(config);
  refuseTogether({ ledger, ...settings }, config, keys);
  return { config: { ...config, ...own }, keys, demo: null };
}
