import type { Logger } from '@searchgate/core';
import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import type { ConnectedLedger } from './connected-ledger.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** Between attempts to connect again, for as long as the server is away. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/** Connects and makes sure that the server answers. */
export async function openRedis(url: string, log: Logger): Promise<ConnectedLedger> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // The ledger repeats what fails; twenty attempts of the client's own, the default, outlast the patience of every caller.
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

/** `connect()` rejects only with the fact that the connection is closed. Why it is closed goes only to listeners. */
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

/** A line when the server goes away and one when it is back, not one for each attempt to reach it. */
function logOutages(client: Redis, log: Logger): void {
  let isAway = false;
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ error }, 'the connection to Redis broke; it is tried again until it is back');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.warn({}, 'the connection to Redis is back');
    isAway = false;
  });
}
