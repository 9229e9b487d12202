export { type PostgresLedger, postgresLedger } from './postgres-ledger.js';
export type { PostgresLedgerOptions } from './postgres-ledger-options.js';
export type { PostgresClient, PostgresPool, PostgresQuery, PostgresRows } from './engine/postgres-pool.js';
