import type { LedgerReason } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../src/engine/database.js';
import type { PostgresLedger } from '../src/index.js';
import { readPostgresLedgerOptions } from '../src/postgres-ledger-options.js';
import { migrate } from '../src/schema/migrate.js';
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from '../src/schema/migrations.js';
import { someoneWaits } from './other-writer.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, keyOf, LOGGED } from './requests.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { poolThrough } from './watched-pool.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
const OPERATIONS: Record<string, (ledger: PostgresLedger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant(grantOf({ grantId: 'another' })),
  adjust: (ledger) => ledger.adjust(adjustmentOf()),
  hold: (ledger) => ledger.hold(holdOf()),
  admit: (ledger) => ledger.admit({ organizationId: 'acme', keyId: 'key-1' }),
  ratesUsed: (ledger) => ledger.ratesUsed({ organizationId: 'acme', keyId: 'key-1' }),
  settle: (ledger) => ledger.settle('hold-1', chargeOf()),
  expireHolds: (ledger) => ledger.expireHolds(Date.now()),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  removeEntries: (ledger) => ledger.removeEntries('1.1.1'),
  entries: (ledger) => ledger.entries(),
  'entries of an organization': (ledger) => ledger.entries({ organizationId: 'acme' }),
  audit: (ledger) => ledger.audit(),
  findByHash: (ledger) => ledger.apiKeys.findByHash('a'.repeat(64)),
  listKeys: (ledger) => ledger.apiKeys.listKeys(),
  updateOrganization: (ledger) => ledger.apiKeys.updateOrganization('acme', { name: 'Acme' }),
  'free of a claim': (ledger) => ledger.idempotency.free(claim),
};

async function reasonsOf(ledger: PostgresLedger): Promise<Record<string, LedgerReason | 'none'>> {
  const reasons: Record<string, LedgerReason | 'none'> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    reasons[name] = await operation(ledger).then(
      () => 'none' as const,
      ({ reason }: { reason: LedgerReason }) => reason,
    );
  }
  return reasons;
}

const ALL_MISMATCHED = Object.fromEntries(Object.keys(OPERATIONS).map((name) => [name, 'schema_mismatch']));

function internals(): Database {
  return createDatabase(readPostgresLedgerOptions({ pool: database.pool }));
}

const NEXT = SCHEMA_VERSION + 1;
const OLDEST = MIGRATIONS.at(-1)?.readableFrom ?? 0;

/** The steps of a next package. */
function nextSteps(readableFrom: number): readonly Migration[] {
  return [...MIGRATIONS, { step: 'ALTER TABLE changes ADD COLUMN of_the_future text', readableFrom }];
}

/** A process with a package of another version. It calls the functions as this one does. @param unknown fields of arguments that it does not send. */
function ledgerOfVersion(version: number, unknown: readonly string[] = []): PostgresLedger {
  const pool = poolThrough(database.otherPool(), ({ text, values = [] }, run) => {
    const own = text
      .replace(`version_${SCHEMA_VERSION}`, `version_${version}`)
      .replace(`apply_write(${SCHEMA_VERSION},`, `apply_write(${version},`);
    const known = (name: string, value: unknown) => (unknown.includes(name) ? undefined : value);
    const sent = values.map((value) =>
      typeof value === 'string' && /^[[{]/.test(value) ? JSON.stringify(JSON.parse(value, known)) : value,
    );
    return run({ text: own, values: sent });
  });
  return database.ledger({ pool });
}

describe('migrate', () => {
  it('is what every operation waits for', async () => {
    const ledger = database.ledger();
    expect(await reasonsOf(ledger)).toEqual(ALL_MISMATCHED);
    await ledger.migrate();
    expect(await ledger.grant(grantOf())).toEqual({ applied: true });
  });

  it('changes nothing the second time', async () => {
    const ledger = database.ledger();
    await ledger.migrate();
    await ledger.grant(grantOf());
    await ledger.migrate();
    expect((await ledger.organizationTotals('acme')).credits).toBe(1_000n);
    expect(await database.run('SELECT version, readable_from FROM searchgate.schema_version')).toEqual([
      { version: SCHEMA_VERSION, readable_from: OLDEST },
    ]);
  });

  it('runs once when eight processes ask for it at once', async () => {
    const pools = Array.from({ length: 8 }, () => database.otherPool());
    const ledgers = pools.map((pool) => database.ledger({ pool }));
    await Promise.all(ledgers.map((ledger) => ledger.migrate()));
    expect(await database.run('SELECT count(*)::int4 AS count FROM searchgate.schema_version')).toEqual([{ count: 1 }]);
    expect(await Promise.all(ledgers.map((ledger) => ledger.grant(grantOf())))).toContainEqual({ applied: true });
  });

  it('takes all steps or none', async () => {
    const wrong = { step: 'SELECT no_such_column', readableFrom: 1 };
    await expect(migrate(internals(), [...MIGRATIONS, wrong])).rejects.toThrow('no_such_column');
    expect(await database.run(`SELECT to_regnamespace('searchgate') AS schema`)).toEqual([{ schema: null }]);
  });

  it('keeps ledgers in different schemas of one database apart', async () => {
    const ledgers = ['first', 'second'].map((schema) => database.ledger({ schema }));
    for (const ledger of ledgers) await ledger.migrate();
    expect(await Promise.all(ledgers.map((ledger) => ledger.grant(grantOf())))).toEqual([
      { applied: true },
      { applied: true },
    ]);
    await ledgers[0]?.adjust(adjustmentOf());
    expect((await ledgers[1]?.entries())?.entries).toHaveLength(1);
  });
});

describe('a newer package that migrates', () => {
  it('leaves a version inside of its window working, side by side with its own', async () => {
    const ledger = database.ledger();
    await ledger.migrate();
    await ledger.grant(grantOf());
    let migrated = false;
    const holds = Array.from({ length: 8 }, async (_, caller) => {
      const settled: number[] = [];
      for (let index = 0; !migrated || index < 5; index += 1) {
        const holdId = `old-${caller}-${index}`;
        await ledger.hold(holdOf({ holdId, amount: 1n }));
        await ledger.settle(holdId, chargeOf({ cost: 0n }));
        settled.push(index);
      }
      return settled.length;
    });
    await migrate(internals(), nextSteps(SCHEMA_VERSION));
    const next = ledgerOfVersion(NEXT);
    expect(await next.hold(holdOf({ holdId: 'next', amount: 3n }))).toMatchObject({ status: 'held' });
    migrated = true;
    const charges = (await Promise.all(holds)).reduce((sum, count) => sum + count, 0);
    expect(await ledger.settle('next', chargeOf())).toMatchObject({ status: 'settled', first: true });
    expect(await next.audit()).toMatchObject({ entries: 1 + charges + 1, openHolds: 0, differences: [] });
    expect(Object.values(await reasonsOf(ledger))).not.toContain('schema_mismatch');
    // An older package that starts: a downgrade inside of the window.
    await ledger.migrate();
    expect(await database.run('SELECT version, readable_from FROM searchgate.schema_version ORDER BY 1')).toEqual([
      { version: SCHEMA_VERSION, readable_from: OLDEST },
      { version: NEXT, readable_from: SCHEMA_VERSION },
    ]);
  });

  it('reads what an older process writes, which keeps what it does not know', async () => {
    const ledger = database.ledger();
    await ledger.migrate();
    const older = ledgerOfVersion(OLDEST, ['budgets', 'byok', 'domains', 'tenant_cost']);
    await older.grant(grantOf());
    for (const holdId of ['older', 'newer']) await older.hold(holdOf({ holdId }));
    await older.settle('older', chargeOf({ tenantCost: 1n }));
    await ledger.settle('newer', chargeOf({ tenantCost: 2n }));
    const { entries } = await ledger.entries();
    expect(entries.map((entry) => 'tenantCost' in entry && entry.tenantCost)).toEqual([false, false, 2n]);

    await older.requests.append([LOGGED, { ...LOGGED, requestId: 'req_2', budgets: ['team'], byok: true }]);
    expect((await ledger.requests.find({}, { limit: 2 })).rows).toMatchObject([
      { requestId: 'req_2', budgets: [], byok: false },
      { requestId: 'req_1', budgets: [], byok: false },
    ]);

    const key = keyOf();
    await older.apiKeys.insertKey(key);
    const [wide, narrow] = [{ only: ['example.org'] }, { never: ['blog.example.org'] }];
    await ledger.apiKeys.updateOrganization('acme', { domains: wide });
    await ledger.apiKeys.updateKey('key-1', { domains: narrow });
    await older.apiKeys.updateOrganization('acme', { name: 'Acme' });
    await older.apiKeys.updateKey('key-1', { label: 'changed' });
    expect(await ledger.apiKeys.findByHash(key.hash)).toMatchObject({ label: 'changed', domains: [wide, narrow] });
  });

  it('makes one outside of it refuse every operation, and says what to install', async () => {
    const ledger = database.ledger();
    await ledger.migrate();
    expect(Object.values(await reasonsOf(ledger))).toContain('none');
    await migrate(internals(), nextSteps(NEXT));
    expect(await reasonsOf(ledger)).toEqual(ALL_MISMATCHED);
    const message = `the schema is at version ${NEXT}, which packages from version ${NEXT} on can use, and this one knows version ${SCHEMA_VERSION}: install that package again, or a newer one`;
    const refused = ['migrate', 'entries', 'audit'] as const;
    for (const operation of refused)
      await expect(ledger[operation]()).rejects.toMatchObject({ reason: 'schema_mismatch', message });
    expect(await ledgerOfVersion(NEXT).organizationTotals('acme')).toMatchObject({ credits: 1_000n });
  });

  it('is told to migrate first, as long as it has not', async () => {
    await database.ledger().migrate();
    expect(await reasonsOf(ledgerOfVersion(NEXT))).toEqual(ALL_MISMATCHED);
    await expect(database.ledger({ schema: 'nowhere' }).entries()).rejects.toThrow('run migrate()');
    await database.run('DROP FUNCTION searchgate.list_entries');
    await expect(database.ledger().entries()).rejects.toThrow('list_entries');
  });

  it('lets a call that has waited for it go on only where its version is served still', async () => {
    await database.ledger().migrate();
    const client = await database.otherPool().connect();
    await client.query(`BEGIN; LOCK TABLE searchgate.version_${OLDEST} IN ACCESS EXCLUSIVE MODE`);
    const granted = ledgerOfVersion(OLDEST).grant(grantOf());
    await someoneWaits(database);
    await client.query(`DROP VIEW searchgate.version_${OLDEST}; COMMIT`);
    client.release();
    await expect(granted).rejects.toMatchObject({ reason: 'schema_mismatch' });
    expect(await database.ledger().grant(grantOf())).toEqual({ applied: true });
  });
});
