import { LedgerError } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { MIGRATIONS } from './migrations.js';

/** Version 1 is the first migration, and so on; no table at all is version 0. */
const CREATE_SCHEMA_TABLE =
  'CREATE TABLE IF NOT EXISTS searchgate_schema (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT';
const HAS_SCHEMA_TABLE = "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'searchgate_schema'";
const VERSION = 'SELECT version FROM searchgate_schema';
const SET_VERSION =
  'INSERT INTO searchgate_schema (id, version) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET version = excluded.version';

/**
 * Makes the check, before every transaction and every reading, that the database has the schema this package knows.
 *
 * @throws LedgerError `schema_mismatch`, from the check.
 */
export function createSchemaCheck(connection: Connection): () => void {
  let exists = false;
  return () => {
    // The version itself can only be asked for once its table exists.
    exists ||= connection.statement(HAS_SCHEMA_TABLE).get() !== undefined;
    const version = exists ? versionOf(connection) : 0;
    if (version !== MIGRATIONS.length) throw mismatch(version, MIGRATIONS.length);
  };
}

/**
 * Brings the database to the latest version, in one transaction that no other process can get into.
 *
 * @throws LedgerError `schema_mismatch` when a newer version of this package has been here.
 */
export function migrate(connection: Connection, migrations: readonly string[] = MIGRATIONS): void {
  connection.transact(() => {
    connection.exec(CREATE_SCHEMA_TABLE);
    const version = versionOf(connection);
    if (version > migrations.length) throw mismatch(version, migrations.length);
    for (const migration of migrations.slice(version)) connection.exec(migration);
    connection.statement(SET_VERSION).run(BigInt(migrations.length));
  });
}

function versionOf(connection: Connection): number {
  return Number(connection.statement<{ readonly version: bigint }>(VERSION).get()?.version ?? 0n);
}

function mismatch(found: number, wanted: number): LedgerError {
  const advice =
    found < wanted ? 'run migrate() first' : 'a newer version of @searchgate/ledger-sqlite has migrated it';
  return new LedgerError('schema_mismatch', `the database has schema version ${found}, not ${wanted}: ${advice}`);
}
