export { sqliteLedger, type SqliteLedger } from './sqlite-ledger.js';
export type { SqliteLedgerOptions } from './sqlite-ledger-options.js';
export type { SqliteDatabase, SqliteStatement } from './engine/sqlite-database.js';
