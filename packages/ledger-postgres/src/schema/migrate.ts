import { LedgerError } from '@searchgate/core';
import type { Database, RunStatement } from '../engine/database.js';

/**
 * Brings the schema to the version of the given steps, in one transaction: wholly, or not at all. Processes that migrate at once take
 * turns, and all but the first find nothing left to do.
 *
 * @throws LedgerError `schema_mismatch` where more steps have been taken than are known here.
 */
export async function migrate({ schema, transaction }: Database, migrations: readonly string[]): Promise<void> {
  await transaction('BEGIN ISOLATION LEVEL READ COMMITTED', async (run) => {
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('searchgate.migrate.' || $1, 0))`, [schema]);
    const version = await versionOf(run, schema);
    if (version > migrations.length) throw tooNew(version, migrations.length);
    if (version === migrations.length) return;
    await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
    for (const [index, step] of migrations.entries()) if (index >= version) await run(step);
    await markVersion(run, version, migrations.length);
  });
}

/** How many steps have been taken; 0 for none. Makes the schema where there is none. */
async function versionOf(run: RunStatement, schema: string): Promise<number> {
  const [found] = await run(`SELECT to_regnamespace($1) IS NOT NULL AS has_schema`, [schema]);
  // Asked first: `IF NOT EXISTS` demands the right to create schemas even where there is nothing to create.
  if (found?.['has_schema'] !== true) await run(`CREATE SCHEMA ${schema}`);
  await run(`CREATE TABLE IF NOT EXISTS ${schema}.schema_version (
    version int4 PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now()
  )`);
  const [row] = await run(`SELECT coalesce(max(version), 0)::text AS version FROM ${schema}.schema_version`);
  return Number(row?.['version']);
}

/** The view of a version's name is what every statement looks for (see `Database.ask`): from here on those of the version before fail. */
async function markVersion(run: RunStatement, from: number, to: number): Promise<void> {
  await run(`DROP VIEW IF EXISTS version_${from}`);
  await run(`CREATE VIEW version_${to} AS SELECT ${to} AS version`);
  await run('INSERT INTO schema_version (version) VALUES ($1)', [to]);
}

function tooNew(found: number, known: number): LedgerError {
  return new LedgerError('schema_mismatch', `the schema is at version ${found}, and this package knows ${known}`);
}
