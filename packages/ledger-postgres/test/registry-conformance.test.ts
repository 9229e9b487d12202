import {
  apiKeyRegistryConformance,
  auditLogConformance,
  idempotencyConformance,
  instanceBoardConformance,
  requestLogConformance,
} from '@searchgate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

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

/** What both suites do around a ledger; its clock is that of the server. */
function underTest<T>(part: (ledger: PostgresLedger) => T) {
  const open: PostgresLedger[] = [];
  const onPool = (pool = database.pool): T => {
    const ledger = database.ledger({ pool });
    open.push(ledger);
    return part(ledger);
  };
  return {
    first: onPool(),
    connect: async () => onPool(otherPool),
    async reopen() {
      await database.cutOff();
      return onPool();
    },
    async dispose() {
      await Promise.all(open.map((ledger) => ledger.close()));
      await database.empty();
    },
  };
}

const supports = { connections: true, reopen: true };

describe('apiKeys of postgresLedger', () => {
  apiKeyRegistryConformance({
    describe,
    it,
    supports,
    async create() {
      const { first, ...rest } = underTest(({ apiKeys }) => apiKeys);
      return { registry: first, ...rest };
    },
  });
});

describe('idempotency of postgresLedger', () => {
  idempotencyConformance({
    describe,
    it,
    supports: { ...supports, erase: 'dumped' },
    async create() {
      const { first, ...rest } = underTest(({ idempotency }) => idempotency);
      return { store: first, ...rest, dump: () => database.dump() };
    },
  });
});

describe('changes of postgresLedger', () => {
  auditLogConformance({
    describe,
    it,
    async create() {
      const { first, dispose } = underTest(({ changes }) => changes);
      return { log: first, dispose };
    },
  });
});

instanceBoardConformance({
  describe,
  it,
  async create() {
    const { first, dispose } = underTest(({ instances }) => instances);
    return { board: first, dispose };
  },
});

describe('requests of postgresLedger', () => {
  requestLogConformance({
    describe,
    it,
    async create() {
      const { first, dispose } = underTest(({ requests }) => requests);
      return { log: first, dispose };
    },
  });
});
