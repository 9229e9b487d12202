import { postgresLedger } from '@searchgate/ledger-postgres';
import { Pool } from 'pg';
import type { EngineDescription, OpenedLedger } from './opened-ledger.js';

const SETTINGS = ['fsync', 'synchronous_commit', 'wal_sync_method', 'full_page_writes'];

export async function openPostgres(url: string): Promise<OpenedLedger> {
  const pool = new Pool({ connectionString: url }).on('error', () => {});
  await pool.query('CREATE TABLE IF NOT EXISTS bench_rows (n int8)');
  return {
    ledger: postgresLedger({ pool }),
    describe: () => describePostgres(pool),
    ask: () => pool.query({ name: 'bench_ask', text: 'SELECT 1' }),
    keep: () => pool.query({ name: 'bench_keep', text: 'INSERT INTO bench_rows VALUES (1)' }),
    async storedBytes() {
      const { rows } = await pool.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
      return Number(rows[0]?.bytes);
    },
  };
}

async function describePostgres(pool: Pool): Promise<EngineDescription> {
  const read = async (name: string): Promise<string> => {
    const { rows } = await pool.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    return rows[0]?.value ?? 'unknown';
  };
  const settings: string[] = [];
  for (const name of SETTINGS) settings.push(`${name} ${await read(name)}`);
  return { version: await read('server_version'), settings: settings.join(', ') };
}
