import { type HoldRequest, systemClock } from '@searchgate/core/ledger';
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

const NAME = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1' };
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

const ONCE = { requests: 1, periodSeconds: 1 };

/** Three open holds of two keys of `acme`, one that has ended, and an organization that holds nothing. */
function fillVersion3(database: Handle): void {
  database.exec(`
    INSERT INTO searchgate_organization_totals VALUES ('acme', 100, 7, 30), ('globex', 0, 0, 0);
    INSERT INTO searchgate_key_totals VALUES ('key-1', 7, 20, 0, 0, 0, 0), ('key-2', 0, 10, 0, 0, 0, 0), ('key-3', 0, 0, 0, 0, 0, 0);
    INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms) VALUES
      ('open-1', 'acme', 'key-1', 'exa/answer', 10, 1), ('open-2', 'acme', 'key-1', 'exa/answer', 10, 2),
      ('open-3', 'acme', 'key-2', 'exa/answer', 10, 3);
    INSERT INTO searchgate_holds VALUES ('ended', 'acme', 'key-1', 'exa/answer', 10, 1, 'settled', 7, 1);
    INSERT INTO searchgate_entries (kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, cost_source, late) VALUES
      ('grant', 'grant-1', 'acme', NULL, 100, 1, '', NULL, NULL, NULL, NULL),
      ('charge', 'ended', 'acme', 'key-1', 7, 1, NULL, 'exa/answer', 'exa', 'reported', 0);
    INSERT INTO searchgate_organizations VALUES ('acme', 'Acme', 1, 2);
    INSERT INTO searchgate_api_keys VALUES ('key-1', 'hash', 'acme', '', 5, NULL, NULL, 1, NULL, 4);`);
}

async function expectFull(ledger: SqliteLedger, changes: Partial<HoldRequest>, by: string): Promise<void> {
  expect(await ledger.hold(holdOf({ holdId: by, ...changes }))).toEqual({ status: 'refused', by });
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

  it.each(Object.entries(OPERATIONS))(
    'is too new for %s once a newer version has migrated it',
    async (_name, operation) => {
      const ledger = await storage.connect();
      await ledger.organizationTotals('acme');
      storage.open().exec(`UPDATE searchgate_schema SET version = ${MIGRATIONS.length + 1}`);
      const tooNew = { reason: 'schema_mismatch', message: expect.stringContaining('a newer version') };
      await expect(operation(ledger)).rejects.toMatchObject(tooNew);
      await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
    },
  );

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

  it('keeps the log of version 1, and finds the times at which its clock was set back', async () => {
    const database = storage.open();
    migrate(createConnection(database), MIGRATIONS.slice(0, 1));
    const written = [10, 20, 90, 30, 15, 40, 95];
    for (const [index, atMs] of written.entries()) {
      const latestMs = Math.max(...written.slice(0, index + 1));
      database.exec(`INSERT INTO searchgate_entries (kind, id, organization_id, amount, at_ms, latest_ms, comment)
        VALUES ('grant', 'grant-${index}', 'acme', 1, ${atMs}, ${latestMs}, '')`);
    }
    const ledger = await storage.connect();
    for (const toMs of [10, 16, 31, 91, 96]) {
      const { entries } = await ledger.entries({ fromMs: 15, toMs });
      expect(entries.map(({ atMs }) => atMs)).toEqual(written.filter((atMs) => atMs >= 15 && atMs < toMs));
    }
    expect(database.prepare('SELECT seq FROM searchgate_clock_setbacks').all()).toMatchObject([{ seq: 4 }, { seq: 5 }]);
  });

  it('keeps what keys of version 2 have used in their latest day, week and month', async () => {
    const database = storage.open();
    migrate(createConnection(database), MIGRATIONS.slice(0, 2));
    const nowMs = Date.UTC(2026, 10, 22, 12); // A Sunday.
    const starts = [Date.UTC(2026, 10, 22), 3, Date.UTC(2026, 10, 16), 7, Date.UTC(2026, 10), 9];
    database.exec(`INSERT INTO searchgate_key_totals VALUES ('key-1', 20, 4, ${starts.join(', ')})`);
    const ledger = await storage.connect({ clock: { ...systemClock, now: () => nowMs } });
    const usages = (['daily', 'weekly', 'monthly', null] as const).map(async (reset) => {
      const { usage, held, windowUsage } = await ledger.keyTotals('key-1', reset);
      expect({ usage, held }).toEqual({ usage: 20n, held: 4n });
      return windowUsage;
    });
    expect(await Promise.all(usages)).toEqual([3n, 7n, 9n, 20n]);
  });

  it('counts the places of version 3, and knows no rates and limits of it', async () => {
    const database = storage.open();
    migrate(createConnection(database), MIGRATIONS.slice(0, 3));
    fillVersion3(database);
    const ledger = await storage.connect();
    expect(await ledger.audit()).toMatchObject({ organizations: 2, keys: 3, openHolds: 3, differences: [] });
    await expectFull(ledger, { keyMaxConcurrent: 2 }, 'key_concurrency');
    await expectFull(ledger, { keyId: 'key-3', organizationMaxConcurrent: 3 }, 'organization_concurrency');
    await ledger.release('open-1', { reason: 'failed' });
    expect(await ledger.hold(holdOf({ holdId: 'new', keyMaxConcurrent: 2, organizationMaxConcurrent: 3 }))).toEqual({
      status: 'held',
      amount: 10n,
    });
    const rates = { keyRateLimit: ONCE, organizationRateLimit: ONCE };
    expect(await ledger.ratesUsed({ organizationId: 'acme', keyId: 'key-1', ...rates })).toEqual({
      key: 0,
      organization: 0,
    });
    const { entries } = await ledger.entries({ keyId: 'key-1' });
    expect(entries).toEqual([expect.not.objectContaining({ upstreamCost: expect.anything() })]);
    const noLimits = { rateLimit: null, maxConcurrent: null };
    expect(await ledger.apiKeys.findKey('key-1')).toMatchObject({ limit: 5n, revokedAtMs: 4, ...noLimits });
    expect(await ledger.apiKeys.findOrganization('acme')).toMatchObject({
      name: 'Acme',
      suspendedAtMs: 2,
      ...noLimits,
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
