import { LedgerError } from '@searchgate/core/ledger';
import type { Database, RunStatement } from '../engine/database.js';
import { ROUTINES } from './migrations.js';

/**
 * Brings the schema to the version of the given steps, in one transaction: wholly, or not at all. Processes that migrate at once take
 * turns, and all but the first find nothing left to do. Where nothing is left to do, no right but that to read is needed.
 *
 * @throws LedgerError `schema_mismatch` where more steps have been taken than are known here.
 */
export async function migrate({ schema, transaction }: Database, migrations: readonly string[]): Promise<void> {
  const target = migrations.length;
  await transaction('BEGIN ISOLATION LEVEL READ COMMITTED', async (run) => {
    if ((await versionOf(run, schema)) === target) return;
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('searchgate.migrate.' || $1, 0))`, [schema]);
    const version = await versionOf(run, schema);
    if (version > target) throw tooNew(version, target);
    if (version === target) return;
    if (version === 0) await makeSchema(run, schema);
    // Calls that are under way end first, so that none of them waits for a table that a step has locked, and this for them.
    else await run(`LOCK TABLE ${schema}.version_${version} IN ACCESS EXCLUSIVE MODE`);
    await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
    for (const step of migrations.slice(version)) await run(step);
    for (const routines of ROUTINES) {
      await run(routines.replaceAll('@schema@', schema).replaceAll('@version@', String(target)));
    }
    await markVersion(run, version, target);
  });
}

/** How many steps have been taken; 0 for none. Asks for what is there instead of making it where it is missing: that would take rights. */
async function versionOf(run: RunStatement, schema: string): Promise<number> {
  if (!(await isThere(run, schema, 'schema_version'))) return 0;
  const [row] = await run(`SELECT coalesce(max(version), 0)::text AS version FROM ${schema}.schema_version`);
  return Number(row?.['version']);
}

/**
 * Whether there is a schema, and a table in it where one is named. Reads the catalog itself: `to_regclass` may answer from a cache that is older
 * than the lock that was just waited for.
 */
async function isThere(run: RunStatement, schema: string, table: string | null = null): Promise<boolean> {
  const rows = await run(
    `SELECT FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = $2
    WHERE n.nspname = trim(BOTH '"' FROM $1) AND ($2 IS NULL OR c.oid IS NOT NULL)`,
    [schema, table],
  );
  return rows.length > 0;
}

async function makeSchema(run: RunStatement, schema: string): Promise<void> {
  // Asked first: `IF NOT EXISTS` demands the right to create schemas even where there is nothing to create.
  if (!(await isThere(run, schema))) await run(`CREATE SCHEMA ${schema}`);
  await run(`CREATE TABLE IF NOT EXISTS ${schema}.schema_version (
    version int4 PRIMARY KEY, migrated_at timestamptz NOT NULL DEFAULT now()
  )`);
}

/**
 * The view of a version's name is what every statement looks for (see `Database.read`): from here on those of the version before fail. It is renamed,
 * since what is renamed keeps its grants.
 */
async function markVersion(run: RunStatement, from: number, to: number): Promise<void> {
  if (from > 0) await run(`ALTER VIEW version_${from} RENAME TO version_${to}`);
  await run(`CREATE OR REPLACE VIEW version_${to} AS SELECT ${to} AS version`);
  await run('INSERT INTO schema_version (version) VALUES ($1)', [to]);
}

function tooNew(found: number, known: number): LedgerError {
  return new LedgerError('schema_mismatch', `the schema is at version ${found}, and this package knows ${known}`);
}
