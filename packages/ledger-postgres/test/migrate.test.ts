import type { LedgerReason } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../src/engine/database.js';
import type { PostgresLedger } from '../src/index.js';
import { readPostgresLedgerOptions } from '../src/postgres-ledger-options.js';
import { migrate } from '../src/schema/migrate.js';
import { MIGRATIONS } from '../src/schema/migrations.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

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

function newerSteps(): readonly string[] {
  return [...MIGRATIONS, 'ALTER TABLE entries ADD COLUMN of_the_future text'];
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
    expect(await database.run('SELECT version FROM searchgate.schema_version')).toEqual([
      { version: MIGRATIONS.length },
    ]);
  });

  it('runs once when eight processes ask for it at once', async () => {
    const pools = Array.from({ length: 8 }, () => database.otherPool());
    const ledgers = pools.map((pool) => database.ledger({ pool }));
    await Promise.all(ledgers.map((ledger) => ledger.migrate()));
    expect(await database.run('SELECT count(*)::int4 AS count FROM searchgate.schema_version')).toEqual([{ count: 1 }]);
    expect(await Promise.all(ledgers.map((ledger) => ledger.grant(grantOf())))).toContainEqual({ applied: true });
  });

  it('makes a ledger that was working refuse every operation once a newer package has migrated', async () => {
    const ledger = database.ledger();
    await ledger.migrate();
    expect(Object.values(await reasonsOf(ledger))).toContain('none');
    const entries = (await ledger.entries()).entries.length;
    await migrate(internals(), newerSteps());
    expect(await database.run('SELECT version FROM searchgate.schema_version ORDER BY 1')).toEqual([
      { version: MIGRATIONS.length },
      { version: MIGRATIONS.length + 1 },
    ]);
    const kept = await database.run('SELECT of_the_future FROM searchgate.entries');
    expect(kept).toEqual(Array(entries).fill({ of_the_future: null }));
    expect(await reasonsOf(ledger)).toEqual(ALL_MISMATCHED);
    await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
  });

  it('takes all steps or none', async () => {
    await expect(migrate(internals(), [...MIGRATIONS, 'SELECT no_such_column'])).rejects.toThrow('no_such_column');
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
