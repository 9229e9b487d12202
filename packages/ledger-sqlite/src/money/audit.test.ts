import { afterEach, beforeEach, expect, it } from 'vitest';
import { budgetOf, chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import type { SqliteLedger } from '../index.js';

let storage: Storage;
let ledger: SqliteLedger;

beforeEach(async () => {
  storage = createStorage();
  ledger = await storage.connect();
  await ledger.grant(grantOf({ amount: 1_000n }));
  await ledger.adjust({ adjustmentId: 'a', organizationId: 'acme', keyId: 'key-1', amount: -2n, note: '' });
  for (const holdId of ['open', 'settled', 'released']) await ledger.hold(holdOf({ holdId }));
  const loss = { model: 'exa/answer', provider: 'exa', cost: 3n, reason: 'upstream_error' };
  await ledger.settle('settled', chargeOf({ losses: [loss] }));
  await ledger.release('released', { reason: 'failed' });
});
afterEach(() => storage.dispose());

const ORGANIZATION = { subject: 'organization', id: 'acme' } as const;
const KEY = { subject: 'key', id: 'key-1' } as const;

it('finds nothing where nothing is wrong, and says how much it looked at', async () => {
  await ledger.hold(holdOf({ holdId: 'expired', expiresAtMs: 1 }));
  await ledger.expireHolds(1);
  const compared = { organizations: 1, keys: 1, budgets: 0 };
  expect(await ledger.audit()).toEqual({ ...compared, entries: 5, openHolds: 1, differences: [] });
});

it.each([
  [
    'UPDATE searchgate_organization_totals SET credits = credits + 1',
    { ...ORGANIZATION, counter: 'credits', counted: 1_001n, recomputed: 1_000n },
  ],
  [
    'UPDATE searchgate_organization_totals SET usage = 0',
    { ...ORGANIZATION, counter: 'usage', counted: 0n, recomputed: 5n },
    { ...ORGANIZATION, counter: 'sums', counted: 0n, recomputed: 5n },
  ],
  [
    'UPDATE searchgate_organization_totals SET held = 0',
    { ...ORGANIZATION, counter: 'held', counted: 0n, recomputed: 10n },
  ],
  [
    'UPDATE searchgate_key_totals SET usage = 6, before_day = 1, before_week = 1, before_month = 1',
    { ...KEY, counter: 'usage', counted: 6n, recomputed: 5n },
    { ...KEY, counter: 'sums', counted: 6n, recomputed: 5n },
  ],
  ['UPDATE searchgate_key_totals SET held = 11', { ...KEY, counter: 'held', counted: 11n, recomputed: 10n }],
  [
    'UPDATE searchgate_organization_totals SET in_flight = 2',
    { ...ORGANIZATION, counter: 'inFlight', counted: 2n, recomputed: 1n },
  ],
  ['UPDATE searchgate_key_totals SET in_flight = 0', { ...KEY, counter: 'inFlight', counted: 0n, recomputed: 1n }],
  ['UPDATE searchgate_key_totals SET before_day = 1', { ...KEY, counter: 'day', counted: 4n, recomputed: 5n }],
  ['UPDATE searchgate_key_totals SET before_week = 1', { ...KEY, counter: 'week', counted: 4n, recomputed: 5n }],
  ['UPDATE searchgate_key_totals SET before_month = 1', { ...KEY, counter: 'month', counted: 4n, recomputed: 5n }],
  [
    'UPDATE searchgate_usage SET charged = charged + 2 WHERE charges > 0',
    { ...ORGANIZATION, counter: 'sums', counted: 5n, recomputed: 7n },
    { ...KEY, counter: 'sums', counted: 5n, recomputed: 7n },
  ],
  [
    'UPDATE searchgate_usage_by_day SET adjusted = adjusted - 1',
    { ...ORGANIZATION, counter: 'sums', counted: 5n, recomputed: 4n },
  ],
])('finds a counter that was changed behind its back: %s', async (sql, ...differences) => {
  storage.open().exec(sql);
  expect((await ledger.audit()).differences).toEqual(differences);
});

const BUDGET = { subject: 'budget', id: 'acme team:research' } as const;
const OF_BUDGET = "WHERE budget_id = 'team:research'";

/** 10 nanodollars held and 7 charged of the budget `team:research`, 7 charged of `user:ada`, which nothing keeps. */
async function spendBudgets(): Promise<void> {
  const passing = budgetOf({ id: 'user:ada', limitReset: 'daily', isKept: false });
  for (const holdId of ['in-budgets', 'open-in-budget'])
    await ledger.hold(holdOf({ holdId, budgets: [budgetOf(), passing] }));
  await ledger.settle('in-budgets', chargeOf());
}

it.each([
  ['usage = 8, before_day = 1, before_week = 1, before_month = 1', 'usage', 8n, 7n],
  ['held = 9', 'held', 9n, 10n],
  ['before_day = 1', 'day', 6n, 7n],
  ['before_week = 1', 'week', 6n, 7n],
  ['before_month = 1', 'month', 6n, 7n],
] as const)('finds a budget whose counter was changed: %s', async (change, counter, counted, recomputed) => {
  await spendBudgets();
  expect(await ledger.audit()).toMatchObject({ budgets: 2, differences: [] });
  storage.open().exec(`UPDATE searchgate_budget_totals SET ${change} ${OF_BUDGET}`);
  expect((await ledger.audit()).differences).toEqual([{ ...BUDGET, counter, counted, recomputed }]);
});

it('finds a budget that the counters or the log know alone', async () => {
  await spendBudgets();
  storage.open().exec(`DELETE FROM searchgate_budget_totals ${OF_BUDGET};
    INSERT INTO searchgate_budget_totals VALUES ('acme', 'ghost', 0, 0, 0, 0, 0, 3, 1)`);
  const { budgets, differences } = await ledger.audit();
  expect(budgets).toBe(3);
  expect(differences.map(({ id, counter }) => `${id} ${counter}`)).toEqual([
    ...'day week month'.split(' ').map((counter) => `acme team:research ${counter}`),
    'acme team:research held',
    'acme ghost held',
  ]);
});

it('finds a key that is said to have been used last on an earlier day: its usage of each window is lost', async () => {
  storage.open().exec('UPDATE searchgate_key_totals SET latest_day = 0');
  const lost = { counted: 0n, recomputed: 5n };
  expect((await ledger.audit()).differences).toEqual(
    (['day', 'week', 'month'] as const).map((counter) => ({ ...KEY, counter, ...lost })),
  );
});

it('finds whom the counters or the log know alone', async () => {
  storage.open().exec(`DELETE FROM searchgate_key_totals;
    INSERT INTO searchgate_organization_totals (id, credits, usage, held) VALUES ('ghost', 7, 0, 0)`);
  const { organizations, differences } = await ledger.audit();
  expect(organizations).toBe(2);
  expect(differences).toContainEqual({
    subject: 'organization',
    id: 'ghost',
    counter: 'credits',
    counted: 7n,
    recomputed: 0n,
  });
  expect(differences.filter(({ subject }) => subject === 'key').map(({ counter }) => counter)).toEqual(
    'usage day week month sums held inFlight'.split(' '),
  );
});

it('finds a slot that is taken by no open hold', async () => {
  await ledger.grant(grantOf({ grantId: 'of-globex', organizationId: 'globex' }));
  storage.open().exec("UPDATE searchgate_organization_totals SET in_flight = 1 WHERE id = 'globex'");
  const slot = { subject: 'organization', id: 'globex', counter: 'inFlight', counted: 1n, recomputed: 0n } as const;
  expect((await ledger.audit()).differences).toEqual([slot]);
});

it('counts no slot for an open hold that takes none', async () => {
  await ledger.hold(holdOf({ holdId: 'waiting', usesSlot: false }));
  expect(await ledger.audit()).toMatchObject({ openHolds: 2, differences: [] });
});

it('finds a charge that is not in the log', async () => {
  storage.open().exec("DELETE FROM searchgate_entries WHERE kind = 'charge'");
  const { differences } = await ledger.audit();
  expect(differences).toContainEqual({ ...ORGANIZATION, counter: 'usage', counted: 5n, recomputed: -2n });
});

it('sees one moment while others go on charging', async () => {
  const other = await storage.connect();
  // Long enough that the log and the organizations are read in several turns, with charges in between.
  const organizationOf = (index: number) => `organization-${index % 1_200}`;
  const grants = times(4_500, (index) =>
    grantOf({ grantId: `more-${index}`, organizationId: organizationOf(index), amount: 1n }),
  );
  await Promise.all(grants.map((grant) => ledger.grant(grant)));
  const holdIds = times(100, (index) => `hold-${index}`);
  await Promise.all(
    holdIds.map((holdId, index) =>
      ledger.hold(
        holdOf({
          holdId,
          organizationId: organizationOf(12 * index),
          amount: 1n,
          budgets: [budgetOf({ id: `user:${index % 30}` })],
        }),
      ),
    ),
  );
  const progress = { audited: false };
  const charging = (async () => {
    for (const holdId of holdIds) if (!progress.audited) await other.settle(holdId, chargeOf());
  })();
  const { differences, entries } = await ledger.audit();
  progress.audited = true;
  await charging;
  expect(differences).toEqual([]);
  expect(entries).toBeGreaterThan(4_504);
});
