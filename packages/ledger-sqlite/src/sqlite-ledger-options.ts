import { type Clock, clockSchema, millisecondsSchema, parseOptions, systemClock } from '@searchgate/core/ledger';
import { z } from 'zod';
import { readsExactly } from './engine/connection.js';
import type { SqliteDatabase } from './engine/sqlite-database.js';

/** The host's database, and the clock of the ledger. */
export interface SqliteLedgerOptions {
  /**
   * An open handle of libsql, better-sqlite3 or `node:sqlite`, for the ledger's own use: transactions that others begin on it get in the ledger's
   * way. The ledger puts the file into WAL mode and sets `synchronous` and `busy_timeout` of the handle; it never closes it.
   */
  readonly database: SqliteDatabase;
  /** Stamps entries and opens windows. @default the machine's own */
  readonly clock?: Clock;
  /**
   * How long holds that have ended are remembered, so that a repeated `settle` gets the first ending; then they are unknown. Claims that were never
   * ended are forgotten after the same time. Milliseconds from 60,000 to 31,536,000,000 (a year).
   *
   * @default 2,592,000,000 (30 days)
   */
  readonly endedHoldRetentionMs?: number;
  /**
   * Longest wait while other processes write, without blocking this one; then an operation rejects with the engine's `SQLITE_BUSY`, and has changed
   * nothing. Milliseconds from 0 to 600,000.
   *
   * @default 4,000, which is below the gateway's `ledgerTimeoutMs`
   */
  readonly busyTimeoutMs?: number;
}

export type SqliteLedgerConfig = Required<SqliteLedgerOptions>;

const DAY_MS = 86_400_000;

const HANDLE = 'an open handle of libsql, better-sqlite3 or node:sqlite, such as new Database("searchgate.db")';

const schema = z.strictObject(
  {
    database: z.custom<SqliteDatabase>(isDatabase, HANDLE),
    clock: clockSchema.default(systemClock),
    endedHoldRetentionMs: millisecondsSchema(60_000, 365 * DAY_MS).default(30 * DAY_MS),
    busyTimeoutMs: millisecondsSchema(0, 600_000).default(4_000),
  },
  'an object such as { database: new Database("searchgate.db") }',
);

/** @throws ConfigurationError naming the option that is wrong. */
export function readSqliteLedgerOptions(options: SqliteLedgerOptions): SqliteLedgerConfig {
  return parseOptions(schema, options, 'sqliteLedger');
}

/** Whether amounts would be read exactly is seen on a statement. */
function isDatabase(value: unknown): boolean {
  const database = value as SqliteDatabase;
  try {
    return typeof database.exec === 'function' && readsExactly(database.prepare('SELECT 1'));
  } catch {
    return false;
  }
}
