import { afterAll, afterEach, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './test-database.js';

/** One migrated database for the tests of a file, emptied after each. */
export function migratedDatabase(options?: () => TestDatabaseOptions): () => TestDatabase {
  let database: TestDatabase | undefined;

  const current = () => {
    if (database === undefined) throw new Error('the database is there only while tests run');
    return database;
  };
  beforeAll(async () => {
    database = await createTestDatabase(options?.());
    await database.ledger().migrate();
  });
  afterEach(() => current().empty());
  afterAll(() => database?.drop());
  return current;
}
