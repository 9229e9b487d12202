import { createFakeClock, type LedgerUnderTest, ledgerConformance } from '@searchgate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.js';

/** Registers the conformance suite of ledgers. @param where the end of its name. @param isSkipped where there is no such database here. */
export function ledgerSuite(where = '', options: TestDatabaseOptions = {}, isSkipped = false): void {
  // Properties make many ledgers, and the machine may be busy.
  describe(`postgresLedger${where}`, { timeout: 60_000 }, () => {
    let database: TestDatabase;
    /** Of another process. */
    let otherPool: ReturnType<TestDatabase['otherPool']>;

    beforeAll(async () => {
      if (isSkipped) return;
      database = await createTestDatabase(options);
      await database.ledger().migrate();
      otherPool = database.otherPool();
    });

    afterAll(async () => {
      if (!isSkipped) await database.drop();
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
        setBack: clock.setBack,
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
      describe: isSkipped ? describe.skip : describe,
      it,
      create,
      randomRuns: 15,
      supports: { clock: true, connections: true, reopen: true, removal: true },
    });
  });
}
