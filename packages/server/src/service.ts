import { type ApiKeyStore, type Gateway, hashApiKey } from '@searchgate/core';
import type { Provider } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { type Logger, pino } from 'pino';
import { applyConfig } from './apply-config.js';
import { buildGateway } from './build-gateway.js';
import type { DemoSecret } from './demo-secret.js';
import { type Environment, readEnvironment, type Settings } from './environment.js';
import { indexedDocuments } from './indexed-documents.js';
import { describeAddress, type LedgerAddress } from './ledger/ledger-address.js';
import { type OpenLedger, openLedger } from './ledger/open-ledger.js';
import { logEvent } from './log-events.js';
import { type ServiceConfig, serviceConfig } from './service-config.js';
import { type DemoNotice, startNotice } from './start-notice.js';

/** A gateway built from the environment, with what a server around it needs. */
export interface Service {
  readonly gateway: Gateway;
  readonly log: Logger;
  readonly port: number;
  readonly host: string;
  /** How long to keep listening after `/healthz` has begun to report the shutdown to load balancers. */
  readonly shutdownDelayMs: number;
  /** The text of a document this service shows itself, by path such as `/docs/guide.md`. */
  page(path: string): string | undefined;
  /** True once `close` has been called: load balancers should send no more calls here. */
  isClosing(): boolean;
  /** What to tell the operator once the service listens on `url`. */
  notice(url: string): string;
  /** Refuses new calls, waits up to 20 s for those in flight and ends what is left, and closes the ledger and its connection. */
  close(): Promise<void>;
}

/** Leaves time to release what is cut off before an orchestrator kills the process, 30 s after its signal. */
const DRAIN_TIMEOUT_MS = 20_000;
/** Written line by line in order: the last lines before an exit are the ones that matter. */
const STDERR = { dest: 2, sync: true };

/**
 * Builds the gateway the environment describes. The log goes to stderr as JSON lines; stdout is for people.
 *
 * @throws ConfigurationError for everything an operator can have got wrong.
 */
export async function createService(environment: Environment): Promise<Service> {
  const settings = readEnvironment(environment);
  const { port, host, shutdownDelayMs, logLevel, docs, providers } = settings;
  const log = pino({ level: logLevel, serializers: { error: pino.stdSerializers.err } }, pino.destination(STDERR));
  const { documents, about, questions, pages } = indexedDocuments(docs);
  const service = await serviceConfig(settings);
  const opened = await openLedger(settings.ledger, log);
  const { gateway, demo } = await prepare(opened, service, {
    log,
    settings,
    providers: [localDocs({ documents }), ...providers],
  });
  let closing = false;

  return {
    gateway,
    log,
    port,
    host,
    shutdownDelayMs,
    page: (path) => pages.get(path),
    isClosing: () => closing,
    notice: (url) => startNotice({ gateway, url, demo, about, questions }),
    async close() {
      closing = true;
      await gateway.close();
      await opened.close();
    },
  };
}

interface Host {
  readonly log: Logger;
  readonly settings: Settings;
  readonly providers: readonly Provider[];
}

interface Prepared {
  readonly gateway: Gateway;
  readonly demo: DemoNotice | null;
}

/** Builds the gateway, which checks the whole configuration, before anything of it is written to the ledger. */
async function prepare(
  opened: OpenLedger,
  service: ServiceConfig,
  { log, settings, providers }: Host,
): Promise<Prepared> {
  const { ledger, apiKeys } = opened;
  const { config, keys, demo } = service;
  let gateway: Gateway | undefined;
  try {
    gateway = buildGateway(config, {
      providers,
      ledger,
      apiKeys,
      drainTimeoutMs: DRAIN_TIMEOUT_MS,
      logger: log,
      onEvent: (event) => {
        logEvent(log, event);
      },
    });
    const { organizations } = config;
    await applyConfig(opened, { organizations, keys }, { log, nowMs: Date.now(), changesKeys: demo === null });
    return { gateway, demo: demo === null ? null : await demoNotice(demo, apiKeys, settings.ledger) };
  } catch (error) {
    await gateway?.close();
    await opened.close();
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
