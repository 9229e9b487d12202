import { createFakeClock, type LedgerUnderTest, ledgerConformance } from '@searchgate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { throughPgbouncer } from './through-pgbouncer.js';

const pgbouncer = await throughPgbouncer();

// Properties make many ledgers, and the machine may be busy.
describe.each([
  { name: 'postgresLedger', options: {} },
  { name: 'postgresLedger where transactions are serializable', options: { isolation: 'serializable' } },
  {
    name: `postgresLedger behind PgBouncer${pgbouncer.note}`,
    options: pgbouncer.options,
    unavailable: pgbouncer.unavailable,
  },
])('$name', { timeout: 30_000 }, ({ options, unavailable }) => {
  let database: TestDatabase;
  /** Of another process. */
  let otherPool: ReturnType<TestDatabase['otherPool']>;

  beforeAll(async () => {
    if (unavailable === true) return;
    database = await createTestDatabase(options);
    await database.ledger().migrate();
    otherPool = database.otherPool();
  });

  afterAll(async () => {
    if (unavailable !== true) await database.drop();
  });

  async function create(): Promise<LedgerUnderTest> {
    const clock = createFakeClock();
    const open: PostgresLedger[] = [];
    const onPool = (pool = database.pool) => {
      const opened = database.ledger({ pool, clock });
      open.push(opened);
      return opened;
    };
    const ledger = onPool();
    return {
      ledger,
      removal: ledger,
      now: clock.now,
      advance: clock.advance,
      connect: async () => onPool(otherPool),
      async reopen() {
        await database.cutOff();
        return onPool();
      },
      async dispose() {
        await Promise.all(open.map((opened) => opened.close()));
        await database.empty();
      },
    };
  }

  ledgerConformance({
    describe: unavailable === true ? describe.skip : describe,
    it,
    create,
    randomRuns: 15,
    supports: { clock: true, connections: true, reopen: true, removal: true },
  });
});
