import type { Database, RunStatement } from '../engine/database.js';
import { type Migration, ROUTINES } from './migrations.js';
import { isTooNew, latestState, NO_SCHEMA, type SchemaState, schemaMismatch, stateOfRow } from './schema-state.js';

/**
 * Brings the schema to the version of the given steps, in one transaction: wholly, or not at all. Processes that migrate at once take
 * turns, and all but the first find nothing left to do. Where nothing is left to do, no right but that to read is needed. A schema that a newer
 * package has migrated is left as it is.
 *
 * @throws LedgerError `schema_mismatch` where that schema needs a newer package than one of these steps.
 */
export async function migrate({ schema, transaction }: Database, migrations: readonly Migration[]): Promise<void> {
  const target = migrations.length;
  await transaction('BEGIN ISOLATION LEVEL READ COMMITTED', async (run) => {
    if (isDone(await stateOf(run, schema), target)) return;
    await run(`SELECT pg_advisory_xact_lock(hashtextextended('searchgate.migrate.' || $1, 0))`, [schema]);
    const state = await stateOf(run, schema);
    if (isDone(state, target)) return;
    await takeSteps(run, schema, { from: state.version, migrations });
  });
}

function isDone(state: SchemaState, target: number): boolean {
  if (isTooNew(state, target)) throw schemaMismatch(state, target);
  return state.version >= target;
}

interface Steps {
  readonly from: number;
  readonly migrations: readonly Migration[];
}

async function takeSteps(run: RunStatement, schema: string, { from, migrations }: Steps): Promise<void> {
  const version = migrations.length;
  const readableFrom = migrations.at(-1)?.readableFrom ?? version;
  if (from === 0) await makeSchema(run, schema);
  const views = await viewsOf(run, schema);
  // Calls that are under way end first, so that none of them waits for a table that a step has locked, and this for them.
  for (const view of views) await run(`LOCK TABLE ${schema}.${view} IN ACCESS EXCLUSIVE MODE`);
  await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
  for (const { step, tables = {} } of migrations.slice(from)) {
    await run(step);
    for (const [table, like] of Object.entries(tables)) await copyGrants(run, like, table);
  }
  const window = Array.from({ length: version - readableFrom + 1 }, (_, index) => version - index);
  // In `apply_write`, the view keeps a migration waiting until the transaction of a caller of its version has ended.
  for (const routines of ROUTINES) {
    await run(
      routines
        .replaceAll(
          '@look_for_version@',
          window.map((each) => `IF version = ${each} THEN PERFORM FROM @schema@.version_${each};`).join('\n  ELS'),
        )
        .replaceAll('@schema@', schema)
        .replaceAll('@version@', String(version)),
    );
  }
  await markWindow(run, views, window);
  await run('INSERT INTO schema_version (version, readable_from) VALUES ($1, $2)', [version, readableFrom]);
}

/** How many steps have been taken; 0 for none. Asks for what is there instead of making it where it is missing: that would take rights. */
async function stateOf(run: RunStatement, schema: string): Promise<SchemaState> {
  if (!(await isThere(run, schema, 'schema_version'))) return NO_SCHEMA;
  return stateOfRow((await run(latestState(schema)))[0]);
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

/** The views of the versions that are served now, the newest last. */
async function viewsOf(run: RunStatement, schema: string): Promise<string[]> {
  const rows = await run(
    `SELECT viewname FROM pg_catalog.pg_views WHERE schemaname = trim(BOTH '"' FROM $1) AND viewname ~ '^version_[0-9]+$'
    ORDER BY length(viewname), viewname`,
    [schema],
  );
  return rows.map(({ viewname }) => String(viewname));
}

/**
 * The view of a version's name is what every statement looks for (see `Database.read`): from here on those of versions that are served no longer
 * fail. Roles that may read the newest view may read each new one.
 */
async function markWindow(run: RunStatement, views: readonly string[], window: readonly number[]): Promise<void> {
  const served = new Set(window.map((version) => `version_${version}`));
  for (const version of window.filter((each) => !views.includes(`version_${each}`))) {
    await run(`CREATE VIEW version_${version} AS SELECT ${version} AS version`);
    await copyGrants(run, views.at(-1), `version_${version}`);
  }
  for (const view of views.filter((each) => !served.has(each))) await run(`DROP VIEW ${view}`);
}

/** So that the roles of processes under way may use what is new. */
async function copyGrants(run: RunStatement, from: string | undefined, to: string): Promise<void> {
  const grants = await run(
    `SELECT a.privilege_type AS privilege, coalesce(quote_ident(r.rolname), 'PUBLIC') AS role
    FROM pg_catalog.pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee WHERE c.oid = to_regclass($1)`,
    [from ?? null],
  );
  for (const { privilege, role } of grants) await run(`GRANT ${String(privilege)} ON ${to} TO ${String(role)}`);
}
