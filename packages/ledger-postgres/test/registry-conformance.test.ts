import {
  apiKeyRegistryConformance,
  auditLogConformance,
  idempotencyConformance,
  instanceBoardConformance,
  requestLogConformance,
  tenantKeyStoreConformance,
} from '@searchgate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { createTestDatabase, handlesOf, type TestDatabase, tenantKeysOf } from './test-database.js';

let database: TestDatabase;
/** Of another process. */
let otherPool: ReturnType<TestDatabase['otherPool']>;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.ledger().migrate();
  otherPool = database.otherPool();
});

afterAll(async () => {
  await database.drop();
});

const runner = { describe, it };
const supports = { connections: true, reopen: true };
/** Handles whose clock is that of the server. */
const handles = () => handlesOf(database, otherPool);

/** A store of a ledger, and how to dispose of it. */
const storeOf = async <Store>(of: (ledger: PostgresLedger) => Store) => {
  const { ledger, dispose } = handles();
  return { ...of(ledger), dispose };
};

describe('apiKeys of postgresLedger', () => {
  apiKeyRegistryConformance({
    ...runner,
    supports,
    async create() {
      const { ledger, connect, reopen, dispose } = handles();
      const keysOf = (open: typeof connect) => async () => (await open()).apiKeys;
      return { registry: ledger.apiKeys, connect: keysOf(connect), reopen: keysOf(reopen), dispose };
    },
  });
});

describe('idempotency of postgresLedger', () => {
  idempotencyConformance({
    ...runner,
    supports: { ...supports, erase: 'dumped' },
    async create() {
      const { ledger, connect, reopen, dispose } = handles();
      const storeBy = (open: typeof connect) => async () => (await open()).idempotency;
      const handlesOfStore = { store: ledger.idempotency, connect: storeBy(connect), reopen: storeBy(reopen) };
      return { ...handlesOfStore, dispose, dump: () => database.dump() };
    },
  });
});

describe('tenantKeys of postgresLedger', () => {
  tenantKeyStoreConformance({
    ...runner,
    async create() {
      const { ledger, connect, dispose } = handles();
      return { store: tenantKeysOf(ledger), connect: async () => tenantKeysOf(await connect()), dispose };
    },
  });
});

describe('logs of postgresLedger', () => {
  auditLogConformance({ ...runner, create: () => storeOf(({ changes }) => ({ log: changes })) });
  instanceBoardConformance({ ...runner, create: () => storeOf(({ instances }) => ({ board: instances })) });
  requestLogConformance({ ...runner, create: () => storeOf(({ requests }) => ({ log: requests })) });
});
