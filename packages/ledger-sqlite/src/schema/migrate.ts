import { LedgerError } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { MIGRATIONS, type Migration } from './migrations.js';

/** Version 1 is the first migration, and so on; no row at all is version 0. */
const CREATE_SCHEMA_TABLE =
  'CREATE TABLE IF NOT EXISTS searchgate_schema (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT';
const HAS_READABLE_FROM = "SELECT 1 AS found FROM pragma_table_info('searchgate_schema') WHERE name = 'readable_from'";
const VERSION = 'SELECT version FROM searchgate_schema';
const SCHEMA = 'SELECT version, readable_from FROM searchgate_schema';
const SET_SCHEMA = `INSERT INTO searchgate_schema (id, version, readable_from) VALUES (1, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, readable_from = excluded.readable_from`;

/**
 * Makes the check, before every transaction and every reading, that the database has a schema this package may use: its own version, or a later one that is
 * readable from it.
 *
 * @throws LedgerError `schema_mismatch`, from the check.
 */
export function createSchemaCheck(connection: Connection, migrations = MIGRATIONS): () => void {
  let hasReadableFrom = false;
  return () => {
    // The column can only be asked for once it exists.
    hasReadableFrom ||= connection.statement(HAS_READABLE_FROM).get() !== undefined;
    if (hasReadableFrom && isCurrent(connection, migrations.length)) return;
    const needs = `this version of @searchgate/ledger-sqlite needs schema version ${migrations.length}`;
    throw new LedgerError('schema_mismatch', `${needs}, and the database has an older one: run migrate() first`);
  };
}

/**
 * Brings the database to the latest version, in one transaction that no other process can get into. Does nothing where a newer package has left a schema that
 * is readable from this version.
 *
 * @throws LedgerError `schema_mismatch` where the schema is too new for this package.
 */
export function migrate(connection: Connection, migrations: readonly Migration[] = MIGRATIONS): void {
  connection.transact(() => {
    connection.exec(CREATE_SCHEMA_TABLE);
    const version = Number(connection.statement<{ readonly version: bigint }>(VERSION).get()?.version ?? 0n);
    if (version >= migrations.length && isCurrent(connection, migrations.length)) return;
    for (const { step } of migrations.slice(version)) connection.exec(step);
    connection.statement(SET_SCHEMA).run(BigInt(migrations.length), BigInt(migrations.at(-1)?.readableFrom ?? 0));
  });
}

/**
 * Whether the schema is of this version or a later one.
 *
 * @throws LedgerError `schema_mismatch` where it is not readable from this version.
 */
function isCurrent(connection: Connection, known: number): boolean {
  const [version, readableFrom] = connection.tuples<readonly [bigint, bigint]>(SCHEMA).get() ?? [0n, 0n];
  if (readableFrom <= known) return version >= known;
  throw new LedgerError(
    'schema_mismatch',
    `the database has schema version ${version}, for packages of schema version ${readableFrom} or newer, and this package is of ${known}: install the version of @searchgate/ledger-sqlite that migrated it again, or a newer one`,
  );
}
