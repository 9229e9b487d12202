import type { Ledger } from '@searchgate/core';
import {
  apiKeyRegistryConformance,
  createFakeClock,
  idempotencyConformance,
  ledgerConformance,
} from '@searchgate/core/testing';
import * as fastCheck from 'fast-check';
import { afterAll, describe, it } from 'vitest';
import { type RedisLedger, redisLedger } from '../src/index.js';
import {
  type Connect,
  connectIoRedis,
  connectNodeRedis,
  freshPrefix,
  type HostClient,
  serverOrReason,
} from './with-redis.js';

const { server, suffix } = await serverOrReason();

/** One connection per handle, made as they are needed and used again by later tests. */
function connectionPool(connect: Connect, url: string) {
  const connections: Promise<HostClient>[] = [];
  return {
    at: (index: number) => (connections[index] ??= connect(url)),
    end: async () => {
      for (const connection of connections) (await connection).end();
    },
  };
}

function registerAll(connect: Connect, randomRuns: number, url: string): void {
  const pool = connectionPool(connect, url);
  afterAll(() => pool.end());

  async function create() {
    const clock = createFakeClock();
    const prefix = freshPrefix();
    let handles = 0;
    const open = async (): Promise<RedisLedger> => {
      const { client } = await pool.at(handles % 4);
      handles += 1;
      return redisLedger({ client, prefix, clock });
    };
    const ledger = await open();
    await ledger.migrate();
    return { clock, ledger, open, dispose: () => ledger.close() };
  }

  ledgerConformance({
    describe,
    it,
    fastCheck,
    randomRuns,
    supports: { clock: true, connections: true, reopen: true },
    create: async () => {
      const { clock, ledger, open, dispose } = await create();
      const under = { now: clock.now, advance: clock.advance, connect: open, reopen: open as () => Promise<Ledger> };
      return { ledger, ...under, dispose };
    },
  });

  apiKeyRegistryConformance({
    describe,
    it,
    supports: { connections: true, reopen: true },
    create: async () => {
      const { ledger, open, dispose } = await create();
      const another = async () => (await open()).apiKeys;
      return { registry: ledger.apiKeys, connect: another, reopen: another, dispose };
    },
  });

  idempotencyConformance({
    describe,
    it,
    supports: { connections: true, reopen: true },
    create: async () => {
      const { clock, ledger, open, dispose } = await create();
      const another = async () => (await open()).idempotency;
      return { store: ledger.idempotency, now: clock.now, connect: another, reopen: another, dispose };
    },
  });
}

describe.skipIf(server === undefined)(`redisLedger${suffix}`, () => {
  if (server === undefined) return;
  afterAll(() => server.stop());
  describe('over ioredis', () => {
    registerAll(connectIoRedis, 15, server.url);
  });
  describe('over redis', () => {
    registerAll(connectNodeRedis, 5, server.url);
  });
});
