import {
  type PostgresLedger,
  type PostgresPool,
  type PostgresQuery,
  postgresLedger,
} from '@searchgate/ledger-postgres';
import { Pool } from 'pg';
import { grantAll, holdAndSettle, holdId, organizationName } from '../hold-and-settle.js';
import { MANY_ORGANIZATIONS } from '../ledger-case.js';

/** A prepared database, and what the ledger sends to it for one pair, one verb per call. */
export interface PostgresRecording {
  readonly statements: readonly PostgresQuery[];
  readonly ledger: PostgresLedger;
  close(): Promise<void>;
}

export async function recordPostgres(url: string): Promise<PostgresRecording> {
  const pool = new Pool({ connectionString: url }).on('error', () => {});
  const sent: PostgresQuery[] = [];
  const ledger = postgresLedger({ pool: recording(pool, sent) });
  await ledger.migrate();
  await grantAll(ledger, MANY_ORGANIZATIONS);
  sent.length = 0;
  await holdAndSettle(ledger, holdId(0), organizationName(0));
  if (sent.length !== 2) throw new Error(`a hold and a settle took ${sent.length} statements, not 2`);
  return {
    statements: [...sent],
    ledger,
    async close() {
      await ledger.close();
      await pool.end();
    },
  };
}

function recording(pool: Pool, sent: PostgresQuery[]): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      return {
        query(query) {
          sent.push(query);
          return client.query(query);
        },
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
  };
}
