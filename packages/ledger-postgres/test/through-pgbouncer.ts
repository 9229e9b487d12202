import { startPgbouncer } from '@searchgate-internal/test-servers';
import { afterAll, inject } from 'vitest';
import type { TestDatabaseOptions } from './test-database.js';

/** What leads the connections of a test database through a PgBouncer in transaction mode, for the tests of one file. */
export async function throughPgbouncer(): Promise<{ options: TestDatabaseOptions; unavailable: boolean }> {
  const pgbouncer = await startPgbouncer({ serverUrl: inject('postgresUrl') });
  if ('reason' in pgbouncer) return { options: {}, unavailable: true };
  afterAll(() => pgbouncer.stop());
  return { options: { through: pgbouncer.through }, unavailable: false };
}
