import {
  ConfigurationError,
  isLedgerError,
  type Ledger,
  type Logger,
  memoryApiKeys,
  memoryLedger,
} from '@searchgate/core';
import type { TenantKeyVault } from '@searchgate/core/administration';
import type { ApiKeyRegistry, AuditLog, DurableLedger, RequestLog } from '@searchgate/core/ledger';
import { memoryAuditLog, memoryRequestLog, memoryTenantKeyStore } from '@searchgate/core/ledger';
import type { Settings } from '../environment.js';
import { loadOptional } from '../optional-package.js';
import { isBug, messageOf, problem } from '../problems.js';
import { keysOfCalls, openVault } from '../tenant-key-vault.js';
import { type DurableAddress, describeAddress } from './ledger-address.js';
import type { openPostgres } from './open-postgres.js';
import type { openRedis } from './open-redis.js';
import type { openSqlite } from './open-sqlite.js';

const EXPECTED = {
  sqlite: 'a SQLite file this user may read and write',
  postgres: 'a PostgreSQL server that answers',
  redis: 'a Redis server that answers',
} as const;

/** The operator's message for an unusable ledger, without credentials; a bug is returned unchanged. */
function unusableLedger(address: DurableAddress, error: unknown): unknown {
  if (error instanceof ConfigurationError || isBug(error)) return error;
  const found = `${describeAddress(address)} (${messageOf(error)})`;
  const expected = isLedgerError(error) ? 'a ledger of this version of Searchgate' : EXPECTED[address.engine];
  return problem('SEARCHGATE_LEDGER', found, expected);
}

/** A ledger with its connection. */
export interface OpenLedger<L extends Ledger = Ledger> {
  readonly ledger: L;
  readonly apiKeys: ApiKeyRegistry;
  /** The vendor keys of organizations. Absent without a secret. */
  readonly vault?: TenantKeyVault | undefined;
  /** As {@link keysOfCalls}. */
  readonly tenantKeys?: Pick<TenantKeyVault, 'find'> | undefined;
  /** The log of calls. */
  readonly requests: RequestLog;
  /** Who changed what. */
  readonly changes: AuditLog;
  /** Closes the ledger first, so that it can flush, then the connection. */
  close(): Promise<void>;
}

/** Loads a driver only when its engine is used: loading takes time, and the Redis driver is optional. */
const CONNECT = {
  sqlite: async (...where: Parameters<typeof openSqlite>) => (await import('./open-sqlite.js')).openSqlite(...where),
  postgres: async (...where: Parameters<typeof openPostgres>) =>
    (await import('./open-postgres.js')).openPostgres(...where),
  redis: async (...where: Parameters<typeof openRedis>) =>
    (await loadOptional({ path: 'SEARCHGATE_LEDGER', name: 'ioredis' }, () => import('./open-redis.js'))).openRedis(
      ...where,
    ),
} as const;

/** Opens the ledger of a service and its vault, and migrates the schema. @throws ConfigurationError as {@link openDurableLedger} and {@link openVault}. */
export async function openLedger(
  { ledger: address, tenantKeysSecrets }: Pick<Settings, 'ledger' | 'tenantKeysSecrets'>,
  log: Logger,
): Promise<OpenLedger> {
  if (address.engine === 'memory') {
    const ledger = memoryLedger();
    const logs = { requests: memoryRequestLog(), changes: memoryAuditLog() };
    const vault = await openVault(memoryTenantKeyStore(), tenantKeysSecrets);
    return { ledger, apiKeys: memoryApiKeys(), vault, tenantKeys: vault, ...logs, close: () => ledger.close() };
  }
  const opened = await openDurableLedger(address, log);
  try {
    await opened.ledger.migrate();
    const store = opened.ledger.tenantKeys;
    const vault = await openVault(store, tenantKeysSecrets);
    return { ...opened, vault, tenantKeys: keysOfCalls(vault, store) };
  } catch (error) {
    await opened.close();
    throw unusableLedger(address, error);
  }
}

/**
 * Connects to a durable ledger without changing its schema.
 *
 * @param log gets errors of connections that break later. The next operation reconnects.
 * @throws ConfigurationError for an unreachable server or an unusable file.
 */
export async function openDurableLedger(address: DurableAddress, log: Logger): Promise<OpenLedger<DurableLedger>> {
  const where = address.engine === 'sqlite' ? address.file : address.url;
  try {
    const { ledger, disconnect } = await CONNECT[address.engine](where, log);
    return {
      ledger,
      apiKeys: ledger.apiKeys,
      requests: ledger.requests,
      changes: ledger.changes,
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
