import type { DurableLedger } from '@searchgate/core/ledger';

/** A ledger with its connection, which the host has to close. */
export interface OpenLedger {
  readonly ledger: DurableLedger;
  /** Closes both. */
  close(): Promise<void>;
}

const POOL_SIZE = 8;

/**
 * Opens the ledger at `sqlite:<file>`, `postgres://…`, `redis://…`, or `ioredis-cluster:` or `node-redis-cluster:` and the URLs of nodes, with the documented connection settings.
 * Loads only the driver of that engine: a worker is started more than a hundred times.
 */
export async function openLedger(location: string): Promise<OpenLedger> {
  const scheme = location.slice(0, location.indexOf(':'));
  if (scheme === 'sqlite') return openSqlite(location.slice('sqlite:'.length));
  if (scheme === 'postgres') return openPostgres(location);
  if (scheme === 'redis') return openRedis(location);
  if (scheme === 'ioredis-cluster') return openIoRedisCluster(nodesOf(location));
  if (scheme === 'node-redis-cluster') return openNodeRedisCluster(nodesOf(location));
  throw new Error(`no ledger is known for "${scheme}:"`);
}

async function openSqlite(file: string): Promise<OpenLedger> {
  const [{ sqliteLedger }, { default: Database }] = await Promise.all([
    import('@searchgate/ledger-sqlite'),
    import('libsql'),
  ]);
  const database = new Database(file);
  const ledger = sqliteLedger({ database });
  return {
    ledger,
    async close() {
      await ledger.close();
      database.close();
    },
  };
}

async function openPostgres(connectionString: string): Promise<OpenLedger> {
  const [{ postgresLedger }, { default: pg }] = await Promise.all([
    import('@searchgate/ledger-postgres'),
    import('pg'),
  ]);
  const pool = new pg.Pool({ connectionString, max: POOL_SIZE });
  // Without a listener, the error of a broken idle connection would end the process.
  pool.on('error', () => undefined);
  const ledger = postgresLedger({ pool });
  return {
    ledger,
    async close() {
      await ledger.close();
      await pool.end();
    },
  };
}

async function openRedis(url: string): Promise<OpenLedger> {
  const [{ redisLedger }, { Redis }] = await Promise.all([import('@searchgate/ledger-redis'), import('ioredis')]);
  const client = new Redis(url);
  // The client reconnects by itself; commands reject until then.
  client.on('error', () => undefined);
  const ledger = redisLedger({ client });
  return {
    ledger,
    async close() {
      await ledger.close();
      client.disconnect();
    },
  };
}

function nodesOf(location: string): string[] {
  return location.slice(location.indexOf(':') + 1).split(',');
}

async function openIoRedisCluster(urls: readonly string[]): Promise<OpenLedger> {
  const [{ redisLedger }, { Cluster }] = await Promise.all([import('@searchgate/ledger-redis'), import('ioredis')]);
  const client = new Cluster([...urls]);
  client.on('error', () => undefined);
  const ledger = redisLedger({ client });
  return {
    ledger,
    async close() {
      await ledger.close();
      client.disconnect();
    },
  };
}

async function openNodeRedisCluster(urls: readonly string[]): Promise<OpenLedger> {
  const [{ redisLedger }, { createCluster }] = await Promise.all([import('@searchgate/ledger-redis'), import('redis')]);
  const client = createCluster({ rootNodes: urls.map((url) => ({ url })) });
  client.on('error', () => undefined);
  await client.connect();
  const ledger = redisLedger({ client });
  return {
    ledger,
    async close() {
      await ledger.close();
      client.destroy();
    },
  };
}
