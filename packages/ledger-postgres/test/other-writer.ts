import { expect, onTestFinished } from 'vitest';
import type { TestDatabase } from './test-database.js';

/** An operation of another process that has its place in the log, and is not committed until told. */
export async function startWriter(database: TestDatabase, operation: Record<string, unknown>) {
  const client = await database.otherPool().connect();
  onTestFinished(() => client.release());
  await client.query('BEGIN');
  await client.query('SELECT searchgate.apply_operations($1, NULL, NULL)', [JSON.stringify([operation])]);
  return { commit: () => client.query('COMMIT') };
}

/** Resolves once a connection waits for another transaction. */
export async function someoneWaits(database: TestDatabase): Promise<void> {
  const waiting = `SELECT count(*)::int4 AS waiting FROM pg_locks l
    WHERE NOT l.granted AND l.pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
  await expect.poll(async () => (await database.run(waiting))[0]?.['waiting']).toBe(1);
}
