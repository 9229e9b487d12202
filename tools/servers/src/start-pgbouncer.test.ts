import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPgbouncer } from './start-pgbouncer.js';
import { startPostgres } from './start-postgres.js';

describe('startPgbouncer', { timeout: 60_000 }, () => {
  test('spreads the statements of one client over several server connections', async ({ skip }) => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const url = await server.createDatabase();
    const pgbouncer = await startPgbouncer({ serverUrl: server.url });
    if ('reason' in pgbouncer) return skip(pgbouncer.reason);
    onTestFinished(() => pgbouncer.stop());
    const [first, second] = [1, 2].map(() => new Client({ connectionString: pgbouncer.through(url) })) as [
      Client,
      Client,
    ];
    await Promise.all([first.connect(), second.connect()]);
    const pidOf = async (client: Client) =>
      (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    await first.query('BEGIN');
    const pids = [await pidOf(first), await pidOf(second)];
    await first.query('COMMIT');
    const later = [await pidOf(first), await pidOf(first)];
    await Promise.all([first.end(), second.end()]);
    expect(new Set(pids).size).toBe(2);
    expect(new Set(later)).toEqual(new Set(pids));
  });

  test('returns the reason without pgbouncer', async () => {
    const options = { serverUrl: 'postgres://127.0.0.1', folders: [] };
    expect(await startPgbouncer(options)).toEqual({ reason: expect.stringContaining('no PgBouncer') as string });
  });
});
