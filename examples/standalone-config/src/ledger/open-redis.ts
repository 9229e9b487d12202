import type { Logger } from '@searchgate/core';
import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import type { ConnectedLedger } from './connected-ledger.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Connects and makes sure that the server answers. */
export async function openRedis(url: string, log: Logger): Promise<ConnectedLedger> {
  // A call that waits for a server to come back is answered 503 long before twenty attempts, the default, are over.
  const client = new Redis(url, { lazyConnect: true, connectTimeout: CONNECT_TIMEOUT_MS, maxRetriesPerRequest: 1 });
  await connect(client);
  client.on('error', (error: Error) => {
    log.warn({ error }, 'the connection to Redis broke');
  });
  return {
    ledger: redisLedger({ client }),
    async disconnect() {
      await client.quit().catch(() => client.disconnect());
    },
  };
}

/** What connect() rejects with is that the connection is closed; why it is closed is told to listeners alone. */
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
