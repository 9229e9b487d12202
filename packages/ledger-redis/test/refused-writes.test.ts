import { refusedWritesConformance } from '@searchgate/testing';
import { describe, it } from 'vitest';
import { redisLedger } from '../src/index.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

/** A server of its own: its memory is full for all. */
const { server, suffix } = await serverOrReason({ ownServer: true });

describe.skipIf(server === undefined)(`redisLedger${suffix}`, () => {
  refusedWritesConformance({
    describe,
    it,
    async create() {
      const { client, end } = await connectIoRedis(server?.url ?? '');
      if (!('call' in client)) throw new Error('only over ioredis');
      const ledger = redisLedger({ client, prefix: freshPrefix() });
      await ledger.migrate();
      const setMemory = async (bytes: string) => void (await client.call('CONFIG', 'SET', 'maxmemory', bytes));
      return {
        ledger,
        refuseWrites: () => setMemory('1'),
        allowWrites: () => setMemory('0'),
        async dispose() {
          await ledger.close();
          end();
        },
      };
    },
  });
});
