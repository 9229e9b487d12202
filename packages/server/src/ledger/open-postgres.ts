import type { Logger } from '@searchgate/core';
import { systemClock, throttledLogger } from '@searchgate/core/ledger';
import { postgresLedger } from '@searchgate/ledger-postgres';
import pg from 'pg';
import type { ConnectedLedger } from './connected-ledger.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Opens a pool and checks that the server answers. */
export async function openPostgres(url: string, log: Logger): Promise<ConnectedLedger> {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'searchgate',
  });
  // They break together.
  const quiet = throttledLogger(log, systemClock);
  // Without a listener, the error of a broken idle connection would end the process.
  pool.on('error', (error) => {
    quiet.warn({ error }, 'a connection to PostgreSQL broke');
  });
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { ledger: postgresLedger({ pool }), disconnect: () => pool.end() };
}
