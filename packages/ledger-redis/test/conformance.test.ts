import type { Clock } from '@searchgate/core/ledger';
import {
  apiKeyRegistryConformance,
  auditLogConformance,
  createFakeClock,
  idempotencyConformance,
  instanceBoardConformance,
  ledgerConformance,
  requestLogConformance,
} from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { afterAll, describe, it } from 'vitest';
import { type RedisLedger, redisLedger } from '../src/index.js';
import {
  type Connect,
  connectIoRedis,
  connectNodeRedis,
  dumpOf,
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

type Pool = ReturnType<typeof connectionPool>;

const rows = chosenRows({ describe, it }, 20);

/** A new ledger over connections of the pool, one for each handle. @param clock where none is given, the server's own rules. */
async function createLedger(pool: Pool, clock?: Clock) {
  const prefix = freshPrefix();
  let handles = 0;
  const open = async (): Promise<RedisLedger> => {
    const { client } = await pool.at(handles % 4);
    handles += 1;
    return redisLedger({ client, prefix, ...(clock && { clock }) });
  };
  const ledger = await open();
  await ledger.migrate();
  const dump = async () => dumpOf((await pool.at(0)).client, prefix);
  return { ledger, open, dump, dispose: () => ledger.close() };
}

function registerLedger(pool: Pool, randomRuns: number): void {
  ledgerConformance({
    ...rows,
    randomRuns,
    supports: { clock: true, connections: true, reopen: true, removal: true },
    create: async () => {
      const clock = createFakeClock();
      const { ledger, open, dispose } = await createLedger(pool, clock);
      const { now, advance, setBack } = clock;
      return { ledger, removal: ledger, now, advance, setBack, connect: open, reopen: open, dispose };
    },
  });
}

function registerRegistry(pool: Pool): void {
  apiKeyRegistryConformance({
    ...rows,
    supports: { connections: true, reopen: true },
    create: async () => {
      const { ledger, open, dispose } = await createLedger(pool);
      const another = async () => (await open()).apiKeys;
      return { registry: ledger.apiKeys, connect: another, reopen: another, dispose };
    },
  });
}

function registerIdempotency(pool: Pool, clock?: Clock): void {
  idempotencyConformance({
    ...rows,
    supports: { connections: true, reopen: true, erase: 'dumped' },
    create: async () => {
      const { ledger, open, dump, dispose } = await createLedger(pool, clock);
      const another = async () => (await open()).idempotency;
      const now = clock === undefined ? Date.now : clock.now;
      return { store: ledger.idempotency, now, connect: another, reopen: another, dump, dispose };
    },
  });
}

function registerLogs(pool: Pool): void {
  const part = async <Part>(of: (ledger: RedisLedger) => Part) => {
    const { ledger, dispose } = await createLedger(pool);
    return { ...of(ledger), dispose };
  };
  instanceBoardConformance({ ...rows, create: () => part(({ instances }) => ({ board: instances })) });
  auditLogConformance({ ...rows, create: () => part(({ changes }) => ({ log: changes })) });
  requestLogConformance({ ...rows, create: () => part(({ requests }) => ({ log: requests })) });
}

describe.skipIf(server === undefined)(`redisLedger${suffix}`, () => {
  if (server === undefined) return;
  describe('over ioredis', () => {
    const pool = connectionPool(connectIoRedis, server.url);
    afterAll(() => pool.end());
    registerLedger(pool, 12);
    registerRegistry(pool);
    registerIdempotency(pool, createFakeClock());
    registerLogs(pool);
  });

  describe('over redis', () => {
    const pool = connectionPool(connectNodeRedis, server.url);
    afterAll(() => pool.end());
    registerLedger(pool, 3);
    registerIdempotency(pool);
  });
});
