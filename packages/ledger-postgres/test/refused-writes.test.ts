import { refusedWritesConformance } from '@searchgate/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './test-database.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.ledger().migrate();
});

afterAll(() => database.drop());

/** What sessions begin with from now on, as on a server that has become a standby: those there are lose their connection. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const [row] = await database.run('SELECT current_database() AS name');
  await database.run(
    'BEGIN; SET TRANSACTION READ WRITE;' + // The session itself may be read-only.
      `ALTER DATABASE ${String(row?.['name'])} SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}; COMMIT`,
  );
  await database.run(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

describe('postgresLedger', { timeout: 60_000 }, () => {
  refusedWritesConformance({
    describe,
    it,
    async create() {
      const ledger = database.ledger({ pool: database.otherPool() });
      return {
        ledger,
        refuseWrites: () => setReadOnly(true),
        allowWrites: () => setReadOnly(false),
        async dispose() {
          await ledger.close();
          await database.empty();
        },
      };
    },
  });
});
