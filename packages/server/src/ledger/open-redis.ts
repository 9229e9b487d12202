import type { Logger } from '@searchgate/core';
import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import type { ConnectedLedger } from './connected-ledger.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** The first pause between reconnects, which go on until the server is back. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/** Connects and checks that the server answers. */
export async function openRedis(url: string, log: Logger): Promise<ConnectedLedger> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // The ledger retries by itself; the client's default of twenty retries takes too long for callers.
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * FIRST_PAUSE_MS, LONGEST_PAUSE_MS),
  });
  await connect(client);
  logOutages(client, log);
  return {
    ledger: redisLedger({ client }),
    async disconnect() {
      await client.quit().catch(() => client.disconnect());
    },
  };
}

/** `connect()` rejects only with "the connection is closed". The reason goes to listeners. */
async function connect(client: Redis): Promise<void> {
  let cause: Error | undefined;
  const remember = (error: Error): void => {
    cause ??= error;
  };
  client.on('error', remember);
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw cause ?? error;
  } finally {
    client.off('error', remember);
  }
}

/** Logs one line per outage and one per recovery, not one per reconnect. */
function logOutages(client: Redis, log: Logger): void {
  let isAway = false;
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ error }, 'the connection to Redis broke; reconnecting until the server is back');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.warn({}, 'the connection to Redis is back');
    isAway = false;
  });
}
