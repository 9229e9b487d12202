import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { watched } from '../../test/watched-database.js';
import { createConnection } from '../engine/connection.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';
import { migrate } from './migrate.js';
import { MIGRATIONS } from './migrations.js';

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

function versionIn(database: Handle): unknown {
  return (database.prepare('SELECT version FROM searchgate_schema').get() as { version: unknown }).version;
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
    const later = await operation(ledger).catch((error: { reason?: string }) => error.reason);
    expect(later).not.toBe('schema_mismatch');
  });

  it.each(Object.entries(OPERATIONS))('is too new for %s once a newer version migrated', async (_name, operation) => {
    const ledger = await storage.connect();
    await ledger.organizationTotals('acme');
    storage.open().exec(`UPDATE searchgate_schema SET version = ${MIGRATIONS.length + 1}`);
    const tooNew = { reason: 'schema_mismatch', message: expect.stringContaining('a newer version') };
    await expect(operation(ledger)).rejects.toMatchObject(tooNew);
    await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
  });

  it('is migrated again without a change', async () => {
    const ledger = await storage.connect();
    await ledger.grant(grantOf());
    await ledger.migrate();
    expect(versionIn(storage.open())).toBe(MIGRATIONS.length);
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
    expect(versionIn(other)).toBe(MIGRATIONS.length);
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

  it('goes from an old version to a new one and keeps what is there', async () => {
    const ledger = await storage.connect();
    await ledger.grant(grantOf());
    const database = storage.open();
    const migrations = [
      ...MIGRATIONS,
      'CREATE TABLE searchgate_later (id TEXT) STRICT; CREATE INDEX later ON searchgate_later (id)',
    ];
    migrate(createConnection(database), migrations);
    migrate(createConnection(database), migrations);
    expect(versionIn(database)).toBe(MIGRATIONS.length + 1);
    expect(tablesIn(database)).toContain('searchgate_later');
    expect(database.prepare('SELECT credits FROM searchgate_organization_totals').get()).toMatchObject({
      credits: 100,
    });
  });

  it('stays as it was when a migration fails half-way', async () => {
    const database = storage.open();
    const broken = [...MIGRATIONS, 'CREATE TABLE searchgate_later (id TEXT) STRICT; CREATE TABLE nonsense'];
    expect(() => migrate(createConnection(database), broken)).toThrow('incomplete input');
    expect(tablesIn(database)).toEqual([]);
    migrate(createConnection(database));
    expect(versionIn(database)).toBe(MIGRATIONS.length);
  });
});

describe('the handle', () => {
  it('stays open when the ledger closes', async () => {
    const database = storage.open();
    const ledger = sqliteLedger({ database });
    await ledger.migrate();
    await ledger.close();
    expect(versionIn(database)).toBe(MIGRATIONS.length);
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
