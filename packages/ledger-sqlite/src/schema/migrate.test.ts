import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { watched } from '../../test/watched-database.js';
import { createConnection } from '../engine/connection.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';
import { createSchemaCheck, migrate } from './migrate.js';
import { MIGRATIONS, type Migration } from './migrations.js';

let storage: Storage;
beforeEach(() => {
  storage = createStorage();
});
afterEach(() => storage.dispose());

const NAME = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
const OPERATIONS: Record<string, (ledger: SqliteLedger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant(grantOf()),
  hold: (ledger) => ledger.hold(holdOf()),
  settle: (ledger) => ledger.settle('hold-1', chargeOf()),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  entries: (ledger) => ledger.entries(),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  removeEntries: (ledger) => ledger.removeEntries('1'),
  audit: (ledger) => ledger.audit(),
  findByHash: (ledger) => ledger.apiKeys.findByHash('a'.repeat(64)),
  insertOrganization: (ledger) =>
    ledger.apiKeys.insertOrganization({ id: 'acme', name: null, createdAtMs: 1, suspendedAtMs: null }),
  free: (ledger) => ledger.idempotency.free(NAME),
};

const VERSION = MIGRATIONS.length;
/** A change in two releases: the first adds, and this package may go on; the second needs the first. */
const NEXT: readonly Migration[] = [
  ...MIGRATIONS,
  { step: 'CREATE TABLE searchgate_later (id TEXT) STRICT', readableFrom: VERSION },
];
const AFTER_NEXT: readonly Migration[] = [
  ...NEXT,
  { step: 'CREATE INDEX later ON searchgate_later (id)', readableFrom: VERSION + 1 },
];

function versionIn(database: Handle): unknown {
  return (database.prepare('SELECT version FROM searchgate_schema').get() as { version: unknown }).version;
}

function schemaIn(database: Handle): unknown {
  return database.prepare('SELECT version, readable_from FROM searchgate_schema').get();
}

/** Its result, or the reason of its refusal. */
function outcomeOf(operation: (ledger: SqliteLedger) => Promise<unknown>, ledger: SqliteLedger): Promise<unknown> {
  return operation(ledger).catch((error: { reason?: string }) => error.reason);
}

function tablesIn(database: Handle): unknown[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return rows.map((row) => (row as { name: string }).name);
}

describe('the schema', () => {
  it.each(Object.entries(OPERATIONS))('is missed by %s before the migration', async (_name, operation) => {
    const ledger = sqliteLedger({ database: storage.open() });
    const tooOld = { reason: 'schema_mismatch', message: expect.stringContaining('run migrate() first') };
    await expect(operation(ledger)).rejects.toMatchObject(tooOld);
    await ledger.migrate();
    expect(await outcomeOf(operation, ledger)).not.toBe('schema_mismatch');
  });

  it.each(Object.entries(OPERATIONS))(
    'may be newer for %s while it is readable from this version',
    async (_name, operation) => {
      const wanted = await outcomeOf(operation, await storage.connect());
      const other = createStorage();
      migrate(createConnection(other.open()), NEXT);
      expect(await outcomeOf(operation, await other.connect())).toEqual(wanted);
      await other.dispose();
    },
  );

  it.each(Object.entries(OPERATIONS))(
    'is too new for %s once it is not readable from this version',
    async (_name, operation) => {
      const ledger = await storage.connect();
      await ledger.organizationTotals('acme');
      migrate(createConnection(storage.open()), AFTER_NEXT);
      const tooNew = {
        reason: 'schema_mismatch',
        message: `the database has schema version ${VERSION + 2}, for packages of schema version ${VERSION + 1} or newer, and this package is of ${VERSION}: install the version of @searchgate/ledger-sqlite that migrated it again, or a newer one`,
      };
      await expect(operation(ledger)).rejects.toMatchObject(tooNew);
      await expect(ledger.migrate()).rejects.toMatchObject(tooNew);
      expect(schemaIn(storage.open())).toMatchObject({ version: VERSION + 2, readable_from: VERSION + 1 });
    },
  );

  it('is written by two versions at once', async () => {
    const ledger = await storage.connect();
    const newer = createConnection(storage.open());
    migrate(newer, NEXT);
    const check = createSchemaCheck(newer, NEXT);
    const written = times(20, (index) => ledger.grant(grantOf({ grantId: `grant-${index}` })));
    newer.transact(() => {
      check();
      newer.exec("INSERT INTO searchgate_later VALUES ('later')");
    });
    await Promise.all(written);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 2_000n });
  });

  it('is left as it is by an older version that may use it', async () => {
    migrate(createConnection(storage.open()), NEXT);
    const ledger = await storage.connect();
    await ledger.grant(grantOf());
    expect(schemaIn(storage.open())).toMatchObject({ version: VERSION + 1, readable_from: VERSION });
    expect(tablesIn(storage.open())).toContain('searchgate_later');
  });

  it('is missed by a newer version until that has migrated it', async () => {
    await storage.connect();
    const newer = createConnection(storage.open());
    const check = createSchemaCheck(newer, NEXT);
    expect(check).toThrow(
      `needs schema version ${VERSION + 1}, and the database has an older one: run migrate() first`,
    );
    migrate(newer, NEXT);
    expect(check).not.toThrow();
  });

  it('is migrated again without a change', async () => {
    const ledger = await storage.connect();
    await ledger.grant(grantOf());
    await ledger.migrate();
    expect(versionIn(storage.open())).toBe(VERSION);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 100n });
  });

  it('is migrated once by many handles at once', async () => {
    const ledgers = times(8, () => sqliteLedger({ database: storage.open() }));
    await Promise.all(ledgers.map((ledger) => ledger.migrate()));
    await Promise.all(ledgers.map((ledger, index) => ledger.grant(grantOf({ grantId: `grant-${index}` }))));
    expect(await ledgers[0]?.organizationTotals('acme')).toMatchObject({ credits: 800n });
  });

  it('waits with its migration for a process that writes', async () => {
    const other = storage.open();
    const ledger = sqliteLedger({ database: storage.open() });
    other.exec('PRAGMA journal_mode = WAL');
    other.exec('BEGIN IMMEDIATE');
    const migrated = ledger.migrate();
    await new Promise(setImmediate);
    other.exec('COMMIT');
    await migrated;
    expect(versionIn(other)).toBe(VERSION);
  });

  it('waits for a process that writes before the file is in WAL mode', async () => {
    const other = storage.open();
    other.exec('CREATE TABLE users (id TEXT); BEGIN IMMEDIATE; INSERT INTO users VALUES (1)');
    const { database, watch } = watched(storage.open());
    const ledger = sqliteLedger({ database });
    const migrated = ledger.migrate();
    await expect.poll(() => watch.statements.length).toBeGreaterThan(6);
    other.exec('COMMIT');
    await migrated;
    await ledger.grant(grantOf());
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 100n });
  });

  it('goes on from version 1, which said nothing of other versions', async () => {
    const database = storage.open();
    database.exec('CREATE TABLE searchgate_schema (id INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT');
    database.exec(`${MIGRATIONS[0]?.step}; INSERT INTO searchgate_schema VALUES (1, 1)`);
    const ledger = sqliteLedger({ database });
    await expect(ledger.audit()).rejects.toMatchObject({ message: expect.stringContaining('run migrate() first') });
    await ledger.migrate();
    expect(await ledger.grant(grantOf())).toMatchObject({ applied: true });
  });

  it('goes from an old version to a new one and keeps what is there', async () => {
    const ledger = await storage.connect();
    await ledger.grant(grantOf());
    const database = storage.open();
    migrate(createConnection(database), AFTER_NEXT);
    migrate(createConnection(database), AFTER_NEXT);
    expect(schemaIn(database)).toMatchObject({ version: VERSION + 2, readable_from: VERSION + 1 });
    expect(tablesIn(database)).toContain('searchgate_later');
    expect(database.prepare('SELECT credits FROM searchgate_organization_totals').get()).toMatchObject({
      credits: 100,
    });
  });

  it('stays as it was when a migration fails half-way', async () => {
    const database = storage.open();
    const broken = [...NEXT, { step: 'CREATE TABLE nonsense', readableFrom: VERSION }];
    expect(() => migrate(createConnection(database), broken)).toThrow('incomplete input');
    expect(tablesIn(database)).toEqual([]);
    migrate(createConnection(database));
    expect(versionIn(database)).toBe(VERSION);
  });
});

/** Each column as `table.name TYPE`, with a mark where a row needs a value for it. */
function columnsIn(database: Handle): string[] {
  const sql = `SELECT format('%s.%s %s', t.name, c.name, c.type) || iif("notnull" AND dflt_value IS NULL, ' needed', '')
    AS definition FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`;
  return database
    .prepare(sql)
    .all()
    .map((row) => (row as { definition: string }).definition);
}

const STEPS = MIGRATIONS.map(({ readableFrom }, index) => [index + 1, readableFrom] as const).slice(1);

it.each(STEPS)('version %i keeps every column of version %i, and needs no other in its rows', (version, older) => {
  const database = storage.open();
  migrate(createConnection(database), MIGRATIONS.slice(0, older));
  const known = columnsIn(database);
  migrate(createConnection(database), MIGRATIONS.slice(0, version));
  const now = columnsIn(database);
  expect(now).toEqual(expect.arrayContaining(known));
  const tables = new Set(known.map((column) => column.split('.')[0]));
  const needed = now.filter((column) => column.endsWith(' needed') && tables.has(column.split('.')[0]));
  expect(known).toEqual(expect.arrayContaining(needed));
});

describe('the handle', () => {
  it('stays open when the ledger closes', async () => {
    const database = storage.open();
    const ledger = sqliteLedger({ database });
    await ledger.migrate();
    await ledger.close();
    expect(versionIn(database)).toBe(VERSION);
    await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'ledger_closed' });
  });

  it('may hold tables of the host, and a user_version of its own', async () => {
    const database = storage.open();
    database.exec('CREATE TABLE users (id TEXT); PRAGMA user_version = 7');
    await sqliteLedger({ database }).migrate();
    expect(tablesIn(database)).toContain('users');
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 7 });
  });
});
