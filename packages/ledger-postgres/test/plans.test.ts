import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import type { Ledger } from '@searchgate/core/ledger';
import { auditRecordAt } from '@searchgate/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { FIRST_MS, fillTables, GROWING_TABLES } from './filled-tables.js';
import { type PlanRecorder, recordPlans } from './plans.js';
import { ALL_SUMS, adjustmentOf, chargeOf, grantOf, holdOf, keyOf, LOGGED, LOSS, sealedOf, TEXT } from './requests.js';
import { createTestDatabase, type TestDatabase, tenantKeysOf } from './test-database.js';

/** Days of the middle of the sums of `fillTables`. What is of much of the ledger is asked for a part of the time. */
const DAYS = { fromDay: 10_010, toDay: 10_090 };

/** Statements of every kind over filled tables, by what is asked. */
const USAGE: Record<string, (ledger: Ledger) => Promise<unknown>> = Object.fromEntries(
  (['organization', 'key', 'budget', 'model', 'tag', 'day'] as const).flatMap((by) => {
    const queries = {
      everything: DAYS,
      'a large organization': { organizationId: 'large', ...DAYS },
      'a small organization': { organizationId: 'small-10' },
      'a busy key': { keyId: 'busy', ...DAYS },
      'a key that is used of late': { keyId: 'late' },
      'a key of late of a large organization': { organizationId: 'large', keyId: 'late' },
      'an unknown key': { keyId: 'unknown' },
      'a budget': { organizationId: 'small-10', budget: 'budget-1' },
    };
    return Object.entries(queries).map(([whose, query]): [string, (ledger: Ledger) => Promise<unknown>] => [
      `usage of ${whose} by ${by}`,
      (ledger) => ledger.usage({ by, ...query }),
    ]);
  }),
);

/**
 * With so many rows, every plan that reads a whole table costs many times as much as one that uses an index. With a million rows in every table the
 * plans are the same (seen on 2026-11-22).
 */
const ROWS = 20_000;
const FEW_ROWS = 20;
/** More than any statement needs for the pages and batches asked for here, the largest of which has 1,000 rows. */
const MOST_ROWS_READ = 2_000;
const PAGE = 50;
const MIDDLE_MS = FIRST_MS + ROWS / 2;

const RANGES = {
  '': {},
  ' from a time': { fromMs: MIDDLE_MS },
  ' to a time': { toMs: FIRST_MS + 10 },
  ' between two times': { fromMs: MIDDLE_MS, toMs: MIDDLE_MS + 5_000 },
};
const FILTERS = {
  everything: {},
  'a large organization': { organizationId: 'large' },
  'a small organization': { organizationId: 'small-10' },
  'an unknown organization': { organizationId: 'unknown' },
  'a busy key': { keyId: 'busy' },
  'a key that is used of late': { keyId: 'late' },
  'an unknown key': { keyId: 'unknown' },
  'a busy key of a large organization': { organizationId: 'large', keyId: 'busy' },
  'a key of late of a large organization': { organizationId: 'large', keyId: 'late' },
};

type Operation = (ledger: PostgresLedger, id: string) => Promise<unknown>;

const ENTRIES: Record<string, Operation> = Object.fromEntries(
  Object.entries(FILTERS).flatMap(([whose, filter]) =>
    Object.entries(RANGES).map(([when, range]): [string, Operation] => [
      `entries of ${whose}${when}`,
      async (ledger) => {
        const { nextCursor } = await ledger.entries({ ...filter, ...range, limit: PAGE });
        if (nextCursor !== null) await ledger.entries({ ...filter, ...range, limit: PAGE, cursor: nextCursor });
      },
    ]),
  ),
);

/** Up to here the log has been removed, behind its beginning. */
let removedMs = 0;

const MONEY: Record<string, Operation> = {
  grant: (ledger, id) => ledger.grant(grantOf({ grantId: id, organizationId: 'large', amount: 1_000n })),
  adjust: (ledger, id) => ledger.adjust(adjustmentOf({ adjustmentId: id, organizationId: 'large', keyId: 'busy' })),
  async 'hold, settle'(ledger, id) {
    await ledger.hold(holdOf({ holdId: id, organizationId: 'large', keyId: 'busy' }));
    await ledger.settle(id, chargeOf());
  },
  async 'hold, settle, with tags'(ledger, id) {
    for (const tag of [id, 'known']) {
      const holdId = `${id}-${tag}`;
      await ledger.hold(holdOf({ holdId, organizationId: 'large', keyId: 'busy', tag }));
      await ledger.settle(holdId, chargeOf({ losses: [LOSS] }));
    }
  },
  findHold: (ledger) => ledger.findHold('hold-7'),
  async removeEntries(ledger) {
    removedMs += 50;
    await ledger.removeEntries(`${FIRST_MS + removedMs}.0.1`);
  },
  async 'hold with every limit, admit, ratesUsed'(ledger, id) {
    const rate = { requests: 1_000_000, periodMs: 1_000 };
    const limits = { keyRateLimit: rate, organizationRateLimit: rate, keyMaxConcurrent: 1_000_000 };
    const whose = { organizationId: 'large', keyId: 'busy', ...limits };
    await ledger.hold(holdOf({ holdId: id, ...whose }));
    await ledger.hold(
      holdOf({ holdId: `${id}-refused`, ...whose, keyId: `${id}-new`, keyMaxConcurrent: 1, keyLimit: 0n }),
    );
    await ledger.admit({ ...whose, organizationId: id, keyId: id });
    await ledger.ratesUsed(whose);
  },
  'a batch of many organizations': (ledger, id) =>
    Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const name = `${id}-${index}`;
        await ledger.grant(grantOf({ grantId: name, organizationId: name }));
        await ledger.hold(holdOf({ holdId: name, organizationId: name, keyId: name }));
        await ledger.release(name, { reason: 'upstream_timeout' });
      }),
    ),
  async expireHolds(ledger, id) {
    await ledger.hold(holdOf({ holdId: id, organizationId: 'large', keyId: 'busy', expiresAtMs: Date.now() - 1 }));
    await ledger.expireHolds(Date.now());
    await ledger.settle(id, chargeOf());
  },
  async 'expireHolds, with an idle budget'(ledger, id) {
    await ledger.adjust(adjustmentOf({ adjustmentId: id, organizationId: 'large', budgets: [id] }));
    for (const { run } of databases)
      await run('UPDATE searchgate.budget_usages SET used_day = 0 WHERE budget_id = $1', [id]);
    await ledger.expireHolds(Date.now());
    expect(await ledger.budgetTotals('large', [{ id, limitReset: null }])).toMatchObject([{ usage: 0n }]);
  },
  async 'hold, settle, adjust, with budgets'(ledger, id) {
    const terms = { limit: 1_000_000n, limitReset: 'daily', isKept: false } as const;
    const budgets = ['budget-7', 'budget-8', id].map((each) => ({ id: each, ...terms }));
    await ledger.hold(holdOf({ holdId: id, organizationId: 'large', keyId: 'busy', budgets }));
    await ledger.settle(id, chargeOf());
    await ledger.adjust(adjustmentOf({ adjustmentId: id, organizationId: 'large', budgets: ['budget-9'] }));
    await ledger.budgetTotals('large', budgets);
  },
  organizationTotals: (ledger) => ledger.organizationTotals('small-10'),
  keyTotals: (ledger) => ledger.keyTotals('busy', 'daily'),
};

const CLAIMS: Record<string, Operation> = {
  async 'claim, complete, free'({ idempotency }, id) {
    const until = Date.now() + 60_000;
    for (const claimId of ['completed', 'freed']) {
      const claim = { keyId: 'busy', idempotencyKey: `${id}-${claimId}`, claimId, fingerprint: 'a'.repeat(64) };
      await idempotency.claim({ ...claim, nowMs: Date.now(), expiresAtMs: until });
      if (claimId === 'completed') await idempotency.complete(claim, { status: 200, body: '{}' }, until);
      else await idempotency.free(claim);
    }
  },
};

const REGISTRY: Record<string, Operation> = {
  findByHash: ({ apiKeys }) => apiKeys.findByHash('7'.padStart(64, '0')),
  findKey: ({ apiKeys }) => apiKeys.findKey('key-7'),
  updateKey: ({ apiKeys }) => apiKeys.updateKey('key-7', { label: 'changed' }),
  insertKey({ apiKeys }, id) {
    const hash = createHash('sha256').update(id).digest('hex');
    return apiKeys.insertKey(keyOf({ id, hash, organizationId: id, createdAtMs: Date.now() }));
  },
  async 'insertKey, updateKey, findByHash, with budgets'({ apiKeys }, id) {
    const hash = createHash('sha256').update(id).digest('hex');
    const limits = { limit: 1n, limitReset: null, mode: 'warn', createdAtMs: 1 } as const;
    for (const each of ['budget-7', 'budget-8'])
      await apiKeys.setBudget({ organizationId: 'large', id: each, ...limits });
    await apiKeys.insertKey(keyOf({ id, hash, organizationId: 'large', budgets: ['budget-7'] }));
    await apiKeys.updateKey(id, { budgets: ['budget-8'] });
    await apiKeys.findByHash(hash);
  },
  async 'setBudget, findBudget, listBudgets, deleteBudget'({ apiKeys }, id) {
    const budget = { organizationId: 'large', id, limit: 1n, limitReset: null, mode: 'warn', createdAtMs: 1 } as const;
    await apiKeys.setBudget(budget);
    await apiKeys.findBudget('large', id);
    await apiKeys.listBudgets('large', { limit: PAGE });
    await apiKeys.deleteBudget('large', id);
    await apiKeys.deleteBudget('large', 'budget-7').catch(() => {});
  },
  async 'put, list and delete keys of tenants'(ledger, id) {
    const keys = tenantKeysOf(ledger);
    for (const providerId of ['exa', 'you']) await keys.put(sealedOf({ organizationId: id, providerId }));
    await keys.put(sealedOf({ organizationId: id, hostKeyId: 'host-2' }), 'v1.one');
    await keys.list(id);
    for (const hostKeyId of ['host-0', 'host-1', 'host-2']) await keys.listSealedByOthers(hostKeyId);
    await keys.delete(id, 'exa');
  },
  listKeys: ({ apiKeys }) => apiKeys.listKeys({ limit: PAGE }),
  'listKeys of a large organization': ({ apiKeys }) => apiKeys.listKeys({ limit: PAGE, organizationId: 'large' }),
  'listKeys of a small organization': ({ apiKeys }) => apiKeys.listKeys({ limit: PAGE, organizationId: 'small-10' }),
  insertOrganization: ({ apiKeys }, id) =>
    apiKeys.insertOrganization({ id: `new-${id}`, name: null, createdAtMs: Date.now(), suspendedAtMs: null }),
  findOrganization: ({ apiKeys }) => apiKeys.findOrganization('small-10'),
  updateOrganization: ({ apiKeys }) => apiKeys.updateOrganization('small-10', { name: 'changed' }),
  listOrganizations: ({ apiKeys }) => apiKeys.listOrganizations({ limit: PAGE }),
};

let prunedTexts = 0;

const REQUESTS: Record<string, Operation> = {
  'append, get, erase': async ({ requests }, id) => {
    await requests.append([{ ...LOGGED, requestId: id, answerId: id, organizationId: id }]);
    await requests.get(id);
    await requests.erase(id);
  },
  eraseBudget: async ({ requests }, id) => {
    await requests.append([{ ...LOGGED, requestId: id, organizationId: id, budgets: ['budget-1', id] }]);
    await requests.eraseBudget(id, id);
    await requests.eraseBudget('small-10', 'budget-1');
  },
  'texts: append, find, erase': async ({ requests: { texts } }, id) => {
    await texts.append([{ ...TEXT, requestId: id, organizationId: id }]);
    await texts.find([id, 'req_10']);
    await texts.erase({ organizationId: id });
    await texts.erase({ organizationId: 'small-10', keyId: id });
  },
  'texts: prune': ({ requests: { texts } }) => texts.prune(FIRST_MS + (prunedTexts += 3)),
  'prune of too many calls, organizations': async ({ requests }) => {
    removedCalls += 60;
    await requests.prune({ beforeMs: 0, maxRows: ROWS - removedCalls, ...ALL_SUMS });
    await requests.organizations(PAGE);
  },
  'append, find, erase a change': async ({ changes }, id) => {
    await changes.append({ ...auditRecordAt(0), id: `change_${id}`, organizationId: id });
    await changes.find({ actor: 'unknown' }, { limit: PAGE });
    await changes.erase(id);
  },
  'prune of old calls': ({ requests }) => {
    prunedMs += 2;
    const beforeMs = FIRST_MS + prunedMs;
    return requests.prune({ beforeMs, maxRows: ROWS, sumsBeforeMs: { hour: beforeMs, day: beforeMs } });
  },
  ...Object.fromEntries(
    [
      {},
      { sinceMs: MIDDLE_MS, untilMs: MIDDLE_MS + 100 },
      { keyId: 'late' },
      { keyId: 'busy', untilMs: MIDDLE_MS },
      { organizations: ['small-10'] },
      { organizations: ['unknown'] },
      { model: 'exa/3' },
      { organizations: ['large'], model: 'exa/3' },
      { organizations: ['large'], budget: 'budget-3' },
    ].map((filter): [string, Operation] => [
      `requests of ${JSON.stringify(filter)}`,
      async ({ requests }) => {
        const { nextCursor } = await requests.find(filter, { limit: PAGE });
        if (nextCursor !== null) await requests.find(filter, { limit: PAGE, cursor: nextCursor });
      },
    ]),
  ),
};
/** Filters that no index has: a page of them ends after so many rows, which are read once more for the place. */
const MOST_ROWS_SCANNED = 10_000;
const SCANS: Record<string, Operation> = Object.fromEntries(
  [
    { tag: 'rare' },
    { status: 5 },
    { model: 'exa/unknown' },
    { minCost: 1n, organizations: ['large'] },
    { attempted: 'exa' },
  ].map((filter): [string, Operation] => [
    `requests of ${inspect(filter)}`,
    ({ requests }) => requests.find(filter, { limit: PAGE }),
  ]),
);

const SPAN = { of: 'calls', step: 'hour', by: ['model'], sinceMs: MIDDLE_MS, untilMs: MIDDLE_MS + 2_000 } as const;
const STATISTICS: Record<string, Operation> = Object.fromEntries(
  [{}, { organizations: ['large'] }, { organizationId: 'large' }, { organizations: ['small-10', 'small-20'] }].map(
    (whose): [string, Operation] => [
      `statistics of ${inspect(whose)}`,
      ({ requests }) => requests.statistics({ ...SPAN, ...whose }),
    ],
  ),
);

/** Up to here the log of calls has been removed, behind its beginning. */
let prunedMs = 0;
let removedCalls = 0;

const OPERATIONS = Object.entries({
  ...MONEY,
  ...ENTRIES,
  ...USAGE,
  ...CLAIMS,
  ...REGISTRY,
  ...REQUESTS,
  ...SCANS,
  ...STATISTICS,
});

interface Session {
  readonly ledger: PostgresLedger;
  readonly plans: PlanRecorder;
}

let database: TestDatabase;
const databases: TestDatabase[] = [];
const pools: pg.Pool[] = [];

/** A migrated database whose statistics are gathered when a test says so, and at no other time. */
async function newDatabase(): Promise<TestDatabase> {
  const made = await createTestDatabase();
  databases.push(made);
  await made.ledger().migrate();
  for (const table of GROWING_TABLES) {
    await made.run(`ALTER TABLE searchgate.${table} SET (autovacuum_enabled = false)`);
  }
  return made;
}

/** One connection, since plans are made and kept for each. */
function openSession(of = database): Session {
  const pool = new pg.Pool({ connectionString: of.url, max: 1 }).on('error', () => {});
  pools.push(pool);
  const plans = recordPlans(pool);
  return { ledger: of.ledger({ pool, batchers: 1 }), plans };
}

/** Plans that are kept are made within the first six calls: https://www.postgresql.org/docs/15/sql-prepare.html (2026-11-22). */
async function usedSession(of = database): Promise<Session> {
  const session = openSession(of);
  for (let call = 0; call < 6; call += 1) await wasteOf(session);
  return session;
}

let count = 0;
const newId = () => `plan-${(count += 1)}`;

/** What has read more of a table than it needed to, by operation. */
async function wasteOf({ ledger, plans }: Session): Promise<string[]> {
  const waste: string[] = [];
  for (const [name, operation] of OPERATIONS) {
    plans.take();
    await operation(ledger, newId());
    const reads = plans.take();
    if (reads.length === 0) waste.push(`${name}: no plan was recorded`);
    for (const { table, by, rows, statement } of reads) {
      if (rows > (name in SCANS ? MOST_ROWS_SCANNED : MOST_ROWS_READ) || by.endsWith('Seq Scan'))
        waste.push(`${name}: ${by} of ${table}: ${statement}`);
    }
  }
  return waste;
}

async function analyze(): Promise<void> {
  for (const table of GROWING_TABLES) await database.run(`ANALYZE searchgate.${table}`);
}

describe('the plan of every statement', { timeout: 60_000 }, () => {
  let early: Session;

  beforeAll(async () => {
    database = await newDatabase();
    await fillTables(database, { from: 1, to: FEW_ROWS });
    await analyze();
    early = await usedSession();
    await fillTables(database, { from: FEW_ROWS + 1, to: ROWS });
  }, 60_000);

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await Promise.all(databases.map((each) => each.drop()));
  });

  it('reads no more than it needs where the plan was made while tables were empty', async () => {
    const empty = await newDatabase();
    const session = await usedSession(empty);
    await fillTables(empty, { from: 1, to: ROWS });
    expect(await wasteOf(session)).toEqual([]);
  });

  it('reads no more than it needs where the plan was made while tables were small', async () => {
    expect(await wasteOf(early)).toEqual([]);
  });

  it('reads no more than it needs where statistics are those of small tables', async () => {
    expect(await wasteOf(openSession())).toEqual([]);
  });

  it('reads no more than it needs where there are no statistics', async () => {
    const tables = `SELECT oid FROM pg_class WHERE relnamespace = 'searchgate'::regnamespace`;
    await database.run(`DELETE FROM pg_statistic WHERE starelid IN (${tables})`);
    await database.run(`UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid IN (${tables})`);
    expect(await wasteOf(openSession())).toEqual([]);
  });

  it('reads no more than it needs where statistics are right', async () => {
    await analyze();
    const session = openSession();
    for (let call = 0; call < 2; call += 1) expect(await wasteOf(session)).toEqual([]);
  });
});
