import {
  ConfigurationError,
  isLedgerError,
  type Ledger,
  type Logger,
  memoryApiKeys,
  memoryLedger,
} from '@searchgate/core';
import type { ApiKeyRegistry, DurableLedger } from '@searchgate/core/ledger';
import { loadOptional } from '../optional-package.js';
import { isBug, messageOf, problem } from '../problems.js';
import { type DurableAddress, describeAddress, type LedgerAddress } from './ledger-address.js';
import type { openPostgres } from './open-postgres.js';
import type { openRedis } from './open-redis.js';
import type { openSqlite } from './open-sqlite.js';

const EXPECTED = {
  sqlite: 'a SQLite file this user may read and write',
  postgres: 'a PostgreSQL server that answers',
  redis: 'a Redis server that answers',
} as const;

/** Tells the operator why a ledger cannot be used, without the credentials of its address; a bug stays the error it is. */
function unusableLedger(address: DurableAddress, error: unknown): unknown {
  if (error instanceof ConfigurationError || isBug(error)) return error;
  const found = `${describeAddress(address)} (${messageOf(error)})`;
  const expected = isLedgerError(error) ? 'a ledger of this version of Searchgate' : EXPECTED[address.engine];
  return problem('SEARCHGATE_LEDGER', found, expected);
}

/** A ledger with the connection it stands on. */
export interface OpenLedger<L extends Ledger = Ledger> {
  readonly ledger: L;
  readonly apiKeys: ApiKeyRegistry;
  /** Closes the ledger first, so that it can flush, and then its connection. */
  close(): Promise<void>;
}

/** The driver of one engine takes time to load: only the one that is asked for is. That of Redis may not be installed. */
const CONNECT = {
  sqlite: async (...where: Parameters<typeof openSqlite>) => (await import('./open-sqlite.js')).openSqlite(...where),
  postgres: async (...where: Parameters<typeof openPostgres>) =>
    (await import('./open-postgres.js')).openPostgres(...where),
  redis: async (...where: Parameters<typeof openRedis>) =>
    (await loadOptional({ path: 'SEARCHGATE_LEDGER', name: 'ioredis' }, () => import('./open-redis.js'))).openRedis(
      ...where,
    ),
} as const;

/** Opens the ledger of a service, ready for use: its schema is brought up to date. @throws ConfigurationError as {@link openDurableLedger}. */
export async function openLedger(address: LedgerAddress, log: Logger): Promise<OpenLedger> {
  if (address.engine === 'memory') {
    const ledger = memoryLedger();
    return { ledger, apiKeys: memoryApiKeys(), close: () => ledger.close() };
  }
  const opened = await openDurableLedger(address, log);
  try {
    await opened.ledger.migrate();
    return opened;
  } catch (error) {
    await opened.close();
    throw unusableLedger(address, error);
  }
}

/**
 * Connects to a durable ledger and leaves its schema as it is.
 *
 * @param log gets connections that break later on. The next operation opens a broken connection again.
 * @throws ConfigurationError when the server cannot be reached or the file cannot be used.
 */
export async function openDurableLedger(address: DurableAddress, log: Logger): Promise<OpenLedger<DurableLedger>> {
  const where = address.engine === 'sqlite' ? address.file : address.url;
  try {
    const { ledger, disconnect } = await CONNECT[address.engine](where, log);
    return {
      ledger,
      apiKeys: ledger.apiKeys,
      async close() {
        try {
          await ledger.close();
        } finally {
          await disconnect();
        }
      },
    };
  } catch (error) {
    throw unusableLedger(address, error);
  }
}
