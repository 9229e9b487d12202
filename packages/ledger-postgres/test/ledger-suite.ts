import { createFakeClock, type LedgerUnderTest, ledgerConformance, type TestRunner } from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createTestDatabase, handlesOf, type TestDatabase, type TestDatabaseOptions } from './test-database.js';

interface SuiteOptions {
  /** The end of its name. */
  readonly where?: string;
  readonly database?: TestDatabaseOptions;
  /** Where there is no such database here. */
  readonly isSkipped?: boolean;
  /** Default: all of them. */
  readonly rows?: (runner: TestRunner) => TestRunner;
}

/** Registers the conformance suite of ledgers. */
export function ledgerSuite({
  where = '',
  database: options = {},
  isSkipped = false,
  rows = (runner) => runner,
}: SuiteOptions = {}): void {
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
      const { now, advance, setBack } = clock;
      const { ledger, ...handles } = handlesOf(database, otherPool, clock);
      return { ledger, removal: ledger, now, advance, setBack, ...handles };
    }

    ledgerConformance({
      ...chosenRows(rows({ describe: isSkipped ? describe.skip : describe, it }), 6),
      create,
      randomRuns: 15,
      supports: { clock: true, connections: true, reopen: true, removal: true },
    });
  });
}
