import { createFakeClock, type LedgerUnderTest, ledgerConformance } from '@searchgate/core/testing';
import * as fastCheck from 'fast-check';
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

async function create(): Promise<LedgerUnderTest> {
  const clock = createFakeClock();
  const open: PostgresLedger[] = [];
  const onPool = (pool = database.pool) => {
    const ledger = database.ledger({ pool, clock });
    open.push(ledger);
    return ledger;
  };
  return {
    ledger: onPool(),
    now: clock.now,
    advance: clock.advance,
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

// Properties make many ledgers, and the machine may be busy.
describe('postgresLedger', { timeout: 30_000 }, () => {
  ledgerConformance({
    describe,
    it,
    fastCheck,
    create,
    randomRuns: 15,
    supports: { clock: true, connections: true, reopen: true },
  });
});
