import { type Clock, clockSchema, countSchema, millisecondsSchema, parseOptions } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { PostgresPool } from './engine/postgres-pool.js';

/** The host's connection, and what several ledgers in one database differ in. */
export interface PostgresLedgerOptions {
  /**
   * The host's own `pg.Pool`. The ledger never ends it, and leaves its `error` event to the host: **a pool without a listener for it ends the
   * process when an idle connection is lost.** Of its connections, the ledger uses up to twice `batchers` at a time.
   */
  readonly pool: PostgresPool;
  /** The schema all tables and functions live in; `migrate()` creates it. A lower-case name of at most 48 characters. @default `searchgate` */
  readonly schema?: string;
  /**
   * How many batches of holds and endings, and as many of claims, may be on their way at once. Operations of one organization share a batcher, so
   * that they wait for each other in a batch instead of at a locked row. 1 to 64.
   *
   * @default 2
   */
  readonly batchers?: number;
  /** How long an ended hold is known, so that a repeated `settle` or `release` gets the first ending. Milliseconds. @default 30 days */
  readonly endedHoldRetentionMs?: number;
  /** Whether statements are prepared by name. @default true; false behind a PgBouncer in transaction mode before 1.21 */
  readonly prepareStatements?: boolean;
  /**
   * For tests: the one clock of the ledger, whose times are taken as they are.
   *
   * @default none: then the clock of the PostgreSQL server rules, and the times a process gives are moved by the difference between the two
   */
  readonly clock?: Clock;
}

const DAY_MS = 86_400_000;
const SCHEMA_WANTED = 'a name of 1 to 48 lower-case letters, digits and underscores that begins with no digit';

const schema = z.strictObject(
  {
    pool: z.custom<PostgresPool>(isPool, 'a pg.Pool such as new pg.Pool({ connectionString })'),
    schema: z
      .string(SCHEMA_WANTED)
      .regex(/^[a-z_][a-z0-9_]{0,47}$/, SCHEMA_WANTED)
      .default('searchgate'),
    batchers: countSchema(1, 64).default(2),
    endedHoldRetentionMs: millisecondsSchema(0, 3_650 * DAY_MS).default(30 * DAY_MS),
    prepareStatements: z.boolean('true or false').default(true),
    clock: clockSchema.optional(),
  },
  'an object such as { pool: new pg.Pool() }',
);

/** The options with every default filled in. */
export type PostgresLedgerConfig = z.output<typeof schema>;

/** @throws ConfigurationError naming the option that is wrong. */
export function readPostgresLedgerOptions(options: PostgresLedgerOptions): PostgresLedgerConfig {
  return parseOptions(schema, options, 'postgresLedger');
}

function isPool(value: unknown): boolean {
  return typeof (value as Partial<PostgresPool> | null | undefined)?.connect === 'function';
}
