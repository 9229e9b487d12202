import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { chargeOf, grantOf, holdOf } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { allEntries, expectSumsOfLog } from '../../test/sums-of-log.js';
import { createConnection } from '../engine/connection.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';
import { migrate } from '../schema/migrate.js';
import { MIGRATIONS } from '../schema/migrations.js';

/** Several slices. */
const ENTRIES = 2_345;
const HOURS_BETWEEN = 2;
const FIRST_MS = Date.UTC(2026, 4, 30);

let storage: Storage;
let database: Handle;

beforeEach(() => {
  storage = createStorage();
  database = storage.open();
  migrate(createConnection(database), MIGRATIONS.slice(0, 4));
  fillVersion4();
});
afterEach(() => storage.dispose());

/** Charges, losses, grants and corrections of two organizations and three keys over more than half a year, with the counters they add up to. */
function fillVersion4(): void {
  database.exec(`BEGIN;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ENTRIES}),
      kinds AS (SELECT n, CASE n % 7 WHEN 0 THEN 'grant' WHEN 1 THEN 'adjustment' WHEN 2 THEN 'loss' WHEN 3 THEN 'expired' ELSE 'charge' END AS kind
        FROM numbers)
    INSERT INTO searchgate_entries
      (kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, cost_source, upstream_cost, late)
      SELECT kind, 'id-' || n, CASE n % 3 WHEN 0 THEN 'globex' ELSE 'acme' END,
        CASE WHEN kind = 'grant' OR n % 14 = 1 THEN NULL ELSE 'key-' || (n % 3) END,
        n % 100, ${FIRST_MS} + n * ${HOURS_BETWEEN} * 3600000, CASE WHEN kind IN ('grant', 'adjustment', 'loss') THEN '' END,
        CASE WHEN kind IN ('loss', 'charge', 'expired') THEN 'model-' || (n % 2) END,
        CASE WHEN kind IN ('loss', 'charge') THEN 'exa' END,
        CASE WHEN kind = 'charge' THEN CASE WHEN n % 5 = 0 THEN 'cached' ELSE 'reported' END END,
        CASE WHEN kind = 'charge' AND n % 2 = 0 THEN n % 50 END,
        CASE WHEN kind = 'charge' THEN 0 END
      FROM kinds;
    INSERT INTO searchgate_organization_totals (id, credits, usage, held)
      SELECT organization_id, sum(iif(kind = 'grant', amount, 0)), sum(iif(kind IN ('charge', 'adjustment'), amount, 0)), 0
      FROM searchgate_entries GROUP BY organization_id;
    INSERT INTO searchgate_key_totals (id, usage, held, latest_day, before_day, before_week, before_month)
      SELECT key_id, sum(amount), 0, 0, 0, 0, 0 FROM searchgate_entries
      WHERE kind IN ('charge', 'adjustment') AND key_id IS NOT NULL GROUP BY key_id;
    INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms, status, cost, ended_at_ms) VALUES
      ('open', 'acme', 'key-1', 'exa/answer', 0, 9000000000000, 'open', NULL, NULL),
      ('ended', 'acme', 'key-1', 'exa/answer', 10, 1, 'settled', 7, ${Date.now()});
    COMMIT`);
}

async function expectAllSums(ledger: SqliteLedger): Promise<void> {
  const log = await allEntries(ledger);
  expect(log.length).toBeGreaterThanOrEqual(ENTRIES);
  const [from, to] = ['2026-07-13', '2026-11-05'].map((date) => Date.parse(date) / 86_400_000);
  const range = { fromDay: from, toDay: to };
  await expectSumsOfLog(ledger, log, [{}, range, { organizationId: 'globex', ...range }, { keyId: 'key-1' }]);
}

async function charge(ledger: SqliteLedger, holdId: string): Promise<void> {
  await ledger.hold(holdOf({ holdId, amount: 0n, tag: 'new' }));
  await ledger.settle(holdId, chargeOf({ model: 'model-1' }));
}

it('adds up what was written before, while another process writes', async () => {
  const ledger = sqliteLedger({ database });
  const other = sqliteLedger({ database: storage.open() });
  await ledger.grant(grantOf()).catch(() => undefined);
  const migrated = [ledger.migrate(), other.migrate()];
  let written = 0;
  const filling = { isDone: false };
  const writing = (async () => {
    while (!filling.isDone) {
      const id = `beside-${written}`;
      // Until the schema is there it is refused.
      await other.grant(grantOf({ grantId: id, amount: 1_000_000n })).then(
        () => charge(other, id),
        () => undefined,
      );
      written += 1;
    }
  })();
  await Promise.all(migrated);
  filling.isDone = true;
  await writing;
  expect(written).toBeGreaterThan(0);
  for (const each of [ledger, other]) await expectAllSums(each);
});

it('lets others work, but gives no sums before all entries are in them', async () => {
  migrate(createConnection(database));
  const ledger = sqliteLedger({ database });
  await ledger.grant(grantOf({ amount: 1_000_000n }));
  await charge(ledger, 'before');
  const { nextCursor } = await ledger.entries({ limit: 10 });
  for (const refused of [ledger.usage({ by: 'day' }), ledger.audit(), ledger.removeEntries(nextCursor ?? '')]) {
    await expect(refused).rejects.toMatchObject({
      reason: 'schema_mismatch',
      message: `the sums of usage lack ${ENTRIES} of the entries before the migration: wait for migrate(), or run it again`,
    });
  }
  await ledger.migrate();
  await expectAllSums(ledger);
});

it('goes on where a process stopped half-way', async () => {
  let commits = 0;
  const failing: Handle = {
    close: () => undefined,
    prepare: (sql) => database.prepare(sql),
    exec(sql) {
      if (sql === 'COMMIT') commits += 1;
      if (commits > 3) throw new Error('killed');
      return database.exec(sql);
    },
  };
  await expect(sqliteLedger({ database: failing }).migrate()).rejects.toThrow('killed');
  database.exec('ROLLBACK');
  const ledger = sqliteLedger({ database: storage.open() });
  await expect(ledger.usage({ by: 'day' })).rejects.toMatchObject({ message: expect.stringContaining('lack 1345 of') });
  await ledger.migrate();
  await ledger.migrate();
  await expectAllSums(ledger);
});

it('proves the sums by an audit, and the log by removing it', async () => {
  const ledger = sqliteLedger({ database });
  await ledger.migrate();
  const sums = async () => (await ledger.audit()).differences.filter(({ counter }) => counter === 'sums');
  expect(await sums()).toEqual([]);
  const { nextCursor } = await ledger.entries({ limit: 1_000 });
  const kept = await ledger.removeEntries(nextCursor ?? '');
  expect(kept).toBe(715);
  expect(await sums()).toEqual([]);
});

it('knows the holds of before, and not when they were made', async () => {
  const ledger = sqliteLedger({ database });
  await ledger.migrate();
  expect(await ledger.findHold('open')).toMatchObject({ status: 'open', createdAtMs: 0, endedAtMs: null });
  const ended = await ledger.findHold('ended');
  expect(ended).toMatchObject({ status: 'settled', cost: 7n, provider: null });
  expect(ended?.createdAtMs).toBe(ended?.endedAtMs);
  await ledger.settle('open', chargeOf());
  expect(await ledger.findHold('open')).toMatchObject({ status: 'settled', provider: 'exa' });
});
