import { type Gateway, memoryLedger } from '@searchgate/core';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { type Logger, pino } from 'pino';
import { buildGateway } from './build-gateway.js';
import { readConfigFile } from './config-file.js';
import { createDemo } from './demo-config.js';
import { type Environment, readEnvironment } from './environment.js';
import { grantCredits } from './grant-credits.js';
import { indexedDocuments } from './indexed-documents.js';
import { logEvent } from './log-events.js';
import { startNotice } from './start-notice.js';

/** A gateway built from the environment, with what a server around it needs. */
export interface StandaloneService {
  readonly gateway: Gateway;
  readonly log: Logger;
  readonly port: number;
  readonly host: string;
  /** The text of a document this service shows itself, by path such as `/docs/guide.md`. */
  page(path: string): string | undefined;
  /** True once `close` has been called: a load balancer should send nobody here any more. */
  isClosing(): boolean;
  /** What to tell the operator once the service listens on `url`. */
  notice(url: string): string;
  /** Refuses new calls, waits for those in flight, and closes the ledger. */
  close(): Promise<void>;
}

/** Written line by line in order: the last lines before an exit are the ones that matter. */
const STDERR = { dest: 2, sync: true };

/**
 * Builds the gateway the environment describes. The log goes to stderr as JSON lines; stdout is for people.
 *
 * @throws ConfigurationError for everything an operator can have got wrong.
 */
export async function createStandaloneService(environment: Environment): Promise<StandaloneService> {
  const { port, host, logLevel, configFile, docs, providers } = readEnvironment(environment);
  const { config, secret } = configFile === null ? createDemo() : { config: readConfigFile(configFile), secret: null };
  const log = pino({ level: logLevel, serializers: { error: pino.stdSerializers.err } }, pino.destination(STDERR));
  const { documents, question, pages } = indexedDocuments(docs);
  const ledger = memoryLedger();
  const gateway = buildGateway(config, {
    providers: [localDocs({ documents }), ...providers],
    ledger,
    logger: log,
    onEvent: (event) => {
      logEvent(log, event);
    },
  });
  for (const organization of await grantCredits(ledger, config.organizations)) {
    log.warn({ organization }, 'the ledger holds more credits than the configuration says; nothing is taken away');
  }
  let closing = false;

  return {
    gateway,
    log,
    port,
    host,
    page: (path) => pages.get(path),
    isClosing: () => closing,
    notice: (url) => startNotice({ gateway, url, demoSecret: secret, question }),
    async close() {
      closing = true;
      await gateway.close();
      await ledger.close();
    },
  };
}
