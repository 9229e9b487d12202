import { type LedgerReason, storedRequest } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { columnsOf } from '../src/engine/column-of.js';
import { createDatabase, type Database } from '../src/engine/database.js';
import type { PostgresLedger } from '../src/index.js';
import { readPostgresLedgerOptions } from '../src/postgres-ledger-options.js';
import { migrate } from '../src/schema/migrate.js';
import { MIGRATIONS, type Migration, SCHEMA_VERSION } from '../src/schema/migrations.js';
import { someoneWaits } from './other-writer.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, LOGGED } from './requests.js';
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

/** A process with a package of another version. It calls the functions as this one does. */
function ledgerOfVersion(version: number): PostgresLedger {
  const pool = poolThrough(database.otherPool(), ({ text, values = [] }, run) => {
    const own = text
      .replace(`version_${SCHEMA_VERSION}`, `version_${version}`)
      .replace(`apply_write(${SCHEMA_VERSION},`, `apply_write(${version},`);
    return run({ text: own, values });
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

  it('takes the calls of an older process, which have no causes and add nothing to the sums', async () => {
    const { requests, migrate: bring } = database.ledger();
    await bring();
    const { cause: _, attempted: _a, attemptCount: _c, rescued: _r, ...older } = storedRequest(LOGGED);
    const append = (ids: readonly string[]) =>
      database.run(`CALL searchgate.apply_write(${OLDEST}, 'append_requests', $1, NULL, NULL, NULL)`, [
        JSON.stringify(ids.map((requestId) => columnsOf({ ...older, requestId }))),
      ]);
    await append(['req_1']);
    await append(['req_1', 'req_2']);
    const both = ['req_2', 'req_1'].map((requestId) => ({ ...LOGGED, requestId }));
    for (const row of both) expect(await requests.get(row.requestId)).toEqual(row);
    for (const filter of [{ rescued: false }, { minAttempts: 0 }])
      expect((await requests.find(filter, { limit: 9 })).rows).toMatchObject(
        both.map(({ attempts: _l, ...row }) => row),
      );
    for (const filter of [{ rescued: true }, { minAttempts: 1 }, { attempted: 'exa' }])
      expect((await requests.find(filter, { limit: 9 })).rows).toEqual([]);

    await requests.append([...both, { ...LOGGED, requestId: 'req_3' }]);
    const all = { of: 'calls', step: 'day', by: [], sinceMs: 0, untilMs: Date.now() } as const;
    expect(await requests.statistics(all)).toMatchObject([{ count: 1, cost: 5n }]);
    // It prunes and erases without sums.
    const prune = { beforeMs: 0, maxRows: 2, most: 1_000 };
    const pruned = await database.run(
      `CALL searchgate.apply_write(${OLDEST}, 'prune_requests', $1, NULL, NULL, NULL)`,
      [JSON.stringify(prune)],
    );
    expect(pruned).toEqual([{ answer: '1' }]);
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
