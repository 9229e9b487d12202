import { startPgbouncer } from '@searchgate-internal/test-servers';
import { afterAll, inject } from 'vitest';
import type { TestDatabaseOptions } from './test-database.js';

interface ThroughPgbouncer {
  readonly options: TestDatabaseOptions;
  /** Whether the tests have to be skipped. */
  readonly unavailable: boolean;
  /** The end of their name: why they are skipped. Empty where they run. */
  readonly note: string;
}

/** What leads the connections of a test database through a PgBouncer in transaction mode, for the tests of one file. */
export async function throughPgbouncer(): Promise<ThroughPgbouncer> {
  const pgbouncer = await startPgbouncer({ serverUrl: inject('postgresUrl') });
  if ('reason' in pgbouncer) return { options: {}, unavailable: true, note: ` (skipped: ${pgbouncer.reason})` };
  afterAll(() => pgbouncer.stop());
  return { options: { through: pgbouncer.through }, unavailable: false, note: '' };
}
