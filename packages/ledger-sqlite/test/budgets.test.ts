import { BUDGET_IDLE_DAYS, MAX_BUDGETS, stateOperations } from '@searchgate/core/ledger';
import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnection } from '../src/engine/connection.js';
import { type SqliteLedger, sqliteLedger } from '../src/index.js';
import { createForgetting } from '../src/money/forget-old.js';
import { openState } from '../src/money/sqlite-state.js';
import { migrate } from '../src/schema/migrate.js';
import { MIGRATIONS } from '../src/schema/migrations.js';
import type { Handle } from './drivers.js';
import { loggedOf } from './every-operation.js';
import { budgetOf, chargeOf, grantOf, holdOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';
import { type Watch, watched } from './watched-database.js';

const DAY_MS = 86_400_000;
const IDLE_MS = (BUDGET_IDLE_DAYS + 1) * DAY_MS;

let storage: Storage;
let clock: FakeClock;
let database: Handle;
let watch: Watch;
let ledger: SqliteLedger;

beforeEach(async () => {
  clock = createFakeClock();
  storage = createStorage();
  ({ database, watch } = watched(storage.open()));
  ledger = sqliteLedger({ database, clock });
  await ledger.migrate();
  await ledger.grant(grantOf({ amount: 1_000_000n }));
  watch.statements.length = 0;
});
afterEach(async () => {
  await ledger.close();
  await storage.dispose();
});

const hold = (holdId: string, ...ids: string[]) =>
  ledger.hold(holdOf({ holdId, budgets: ids.map((id) => budgetOf({ id, limit: null })) }));
const passing = (id: string) => budgetOf({ id, limit: null, limitReset: 'daily', isKept: false });
/** By the rows there are, and by the number that is kept of them. */
const countersOf = (organizationId: string) =>
  database
    .prepare(`SELECT (SELECT count(*) FROM searchgate_budget_totals WHERE organization_id = '${organizationId}') AS rows,
      (SELECT budgets FROM searchgate_budget_counts WHERE organization_id = '${organizationId}') AS counted`)
    .get() as { rows: number; counted: number };

/** Counters of a day, that nothing keeps. */
function addCounters(count: number, { prefix, day = 0 }: { prefix: string; day?: number }): void {
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO searchgate_budget_totals SELECT 'acme', '${prefix}' || n, 0, ${day}, 0, 0, 0, 0, 0 FROM numbers`);
}

describe('budgets in SQLite', () => {
  it('cost a call without them no statement, as own keys of vendors cost none and no column', async () => {
    await ledger.hold(holdOf());
    await ledger.settle('hold-1', chargeOf());
    await ledger.hold(holdOf({ holdId: 'released', budgets: [] }));
    await ledger.release('released', { reason: 'failed' });
    expect(watch.statements.filter((sql) => /searchgate_budget|tenant/.test(sql))).toEqual([]);
  });

  it('are taken out of more calls than fit into one transaction', async () => {
    const budgets = [['user'], [], ['a', 'user', 'b'], ['user:ada', 'null'], ['b', 'user']];
    await ledger.requests.append(times(2_500, (at) => ({ ...loggedOf(`${at}`), budgets: budgets[at % 5] ?? [] })));
    watch.statements.length = 0;
    expect(await ledger.requests.eraseBudget('busy', 'null')).toBe(500);
    expect(await ledger.requests.eraseBudget('busy', 'user')).toBe(1_500);
    const transactions = watch.statements.join(';').split('BEGIN IMMEDIATE');
    expect(Math.max(...transactions.map((text) => text.split('UPDATE').length - 1))).toBeLessThanOrEqual(500);
    const left = await Promise.all(times(5, (at) => ledger.requests.get(`${at}`)));
    expect(left.map((call) => call?.budgets)).toEqual([[], [], ['a', 'b'], ['user:ada'], ['b']]);
  });

  it('are read once and written once in a transaction, whatever calls share it', async () => {
    await Promise.all(times(64, (index) => hold(`hold-${index}`, 'team', `user:${index % 2}`)));
    const ofCounters = watch.statements.filter((sql) => sql.includes('searchgate_budget_totals'));
    expect(ofCounters.map((sql) => sql.slice(0, 6)).sort()).toEqual([
      ...times(3, () => 'INSERT'),
      ...times(3, () => 'SELECT'),
    ]);
    const held = (await ledger.budgetTotals('acme', [budgetOf({ id: 'team' }), budgetOf({ id: 'user:0' })])).map(
      (totals) => totals.held,
    );
    expect(held).toEqual([640n, 320n]);
  });

  it('never become more than an organization may have, also within a transaction', async () => {
    addCounters(MAX_BUDGETS - 3, { prefix: 'old-' });
    await ledger.grant(grantOf({ grantId: 'other', organizationId: 'acme-2' }));
    const outcomes = await Promise.all(
      [
        hold('1', 'new-1', 'old-1'),
        hold('2', 'new-2', 'new-3', 'new-4'),
        hold('3', 'new-1', 'new-2', 'new-3'),
        hold('4', 'old-2', 'new-4'),
        ledger.hold(holdOf({ holdId: '5', organizationId: 'acme-2', budgets: [budgetOf()] })),
        hold('6', 'old-3', 'new-3'),
      ].map((result) =>
        result.then(
          ({ status }) => status,
          (error: { reason: string }) => error.reason,
        ),
      ),
    );
    expect(outcomes).toEqual(['held', 'too_many_budgets', 'held', 'too_many_budgets', 'held', 'held']);
    await expect(hold('7', 'new-5')).rejects.toMatchObject({ reason: 'too_many_budgets' });
    expect(countersOf('acme')).toMatchObject({ rows: MAX_BUDGETS, counted: MAX_BUDGETS });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ held: 30n });
  });

  it('are forgotten by a sweep, in bounded batches, and then make room', async () => {
    addCounters(2_500, { prefix: 'old-' });
    addCounters(1, { prefix: 'recent-', day: Math.floor(clock.now() / DAY_MS) - BUDGET_IDLE_DAYS });
    await ledger.expireHolds(clock.now());
    expect(countersOf('acme')).toMatchObject({ rows: 501, counted: 501 });
    await ledger.expireHolds(clock.now());
    expect(countersOf('acme')).toMatchObject({ rows: 1, counted: 1 });
    await clock.advance(DAY_MS);
    await ledger.expireHolds(clock.now());
    expect(countersOf('acme')).toMatchObject({ rows: 0, counted: 0 });
  });

  it('keep their usage where a sweep forgets them in the transaction of a call', async () => {
    await ledger.hold(holdOf({ budgets: [passing('user:ada')] }));
    await ledger.settle('hold-1', chargeOf());
    await clock.advance(IDLE_MS);
    const connection = createConnection(database);
    connection.transact(() => {
      const state = openState(connection, clock.now());
      const { hold: place } = stateOperations((operation, ...values) => operation(state, ...values));
      void place(holdOf({ holdId: 'again', budgets: [passing('user:ada')] }));
      createForgetting(DAY_MS).forget(state, 100);
      state.flush();
    });
    expect(await ledger.budgetTotals('acme', [passing('user:ada')])).toMatchObject([{ usage: 7n, held: 10n }]);
    expect(countersOf('acme')).toMatchObject({ rows: 1, counted: 1 });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('agree with the log where they were forgotten, kept from then on, and their entries removed', async () => {
    await ledger.hold(holdOf({ budgets: [passing('user:ada')] }));
    await ledger.settle('hold-1', chargeOf());
    await clock.advance(IDLE_MS);
    await ledger.expireHolds(0);
    await hold('kept', 'user:ada');
    await ledger.settle('kept', chargeOf());
    await ledger.grant(grantOf({ grantId: 'last' }));
    expect((await ledger.audit()).differences).toEqual([]);
    const { nextCursor } = await ledger.entries({ limit: 3 });
    expect(await ledger.removeEntries(nextCursor ?? '')).toBe(2);
    expect((await ledger.audit()).differences).toEqual([]);
    expect(await ledger.budgetTotals('acme', [passing('user:ada')])).toMatchObject([{ usage: 7n }]);
  });

  it('stay once a call has said that they are kept', async () => {
    await hold('kept', 'user:ada');
    await ledger.hold(holdOf({ budgets: [passing('user:ada')] }));
    for (const holdId of ['kept', 'hold-1']) await ledger.settle(holdId, chargeOf());
    await clock.advance(IDLE_MS);
    await ledger.expireHolds(0);
    expect(await ledger.budgetTotals('acme', [passing('user:ada')])).toMatchObject([{ usage: 14n }]);
  });
});

it('goes on with the calls of version 2, which knew no budgets and no tenants', async () => {
  const other = createStorage();
  const handle = other.open();
  migrate(createConnection(handle), MIGRATIONS.slice(0, 2));
  handle.exec(`INSERT INTO searchgate_organization_totals (id, credits, usage, held, in_flight) VALUES ('acme', 0, 0, 10, 1);
    INSERT INTO searchgate_key_totals VALUES ('key-1', 0, 10, 0, 0, 0, 0, 1, NULL, NULL, NULL);
    INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms, created_at_ms)
      VALUES ('hold-1', 'acme', 'key-1', 'exa/answer', 10, 1, 1);
    INSERT INTO searchgate_api_keys (id, hash, organization_id, label, created_at_ms) VALUES ('key-1', 'hash', 'acme', '', 1);
    INSERT INTO searchgate_requests (request_id, at_ms, endpoint, key_id, organization_id, status, stream, loss, duration_ms, upstream_ms, attempts)
      VALUES ('req_1', 1, 'answer', 'key-1', 'acme', 200, 0, 0, 1, 1, '[]')`);
  const newer = sqliteLedger({ database: handle });
  await newer.migrate();
  expect(await newer.settle('hold-1', chargeOf())).toMatchObject({ first: true });
  expect((await newer.entries()).entries).toEqual([expect.not.objectContaining({ budgets: expect.anything() })]);
  expect(await newer.usage({ by: 'budget' })).toMatchObject([{ group: null, charged: 7n }]);
  expect(await newer.apiKeys.findKey('key-1')).toMatchObject({ budgets: [], domains: null });
  expect(await newer.requests.get('req_1')).toMatchObject({ budgets: [], byok: false });
  expect((await newer.audit()).differences).toEqual([]);
  await other.dispose();
});
