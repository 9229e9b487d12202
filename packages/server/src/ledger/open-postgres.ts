import type { Logger } from '@searchgate/core';
import { postgresLedger } from '@searchgate/ledger-postgres';
import pg from 'pg';
import type { ConnectedLedger } from './connected-ledger.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Opens a pool and makes sure that the server answers. */
export async function openPostgres(url: string, log: Logger): Promise<ConnectedLedger> {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'searchgate',
  });
  // An idle connection that breaks is reported here. Without a listener it would end the process.
  pool.on('error', (error) => {
    log.warn({ error }, 'a connection to PostgreSQL broke');
  });
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { ledger: postgresLedger({ pool }), disconnect: () => pool.end() };
}
