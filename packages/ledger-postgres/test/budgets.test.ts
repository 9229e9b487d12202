import { BUDGET_IDLE_DAYS, type HoldBudget, type HoldResult, type Ledger, MAX_BUDGETS } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, keyOf } from './requests.js';
import { watchedPool } from './watched-pool.js';

const database = migratedDatabase();
const DAY_MS = 86_400_000;
const FORGOTTEN_MS = (BUDGET_IDLE_DAYS + 1) * DAY_MS;

function budgetOf(id: string, limit: bigint | null = null, changes: Partial<HoldBudget> = {}): HoldBudget {
  return { id, limit, limitReset: 'monthly', isKept: false, ...changes };
}

/** How many counters each organization is said to have, beside how many it has. */
async function countedOf(organizationId = 'acme') {
  const [row] = await database().run(
    `SELECT o.budgets::int4 AS counted, (SELECT count(*)::int4 FROM searchgate.budget_usages b WHERE b.organization_id = o.organization_id) AS there
    FROM searchgate.organization_balances o WHERE organization_id = $1`,
    [organizationId],
  );
  return row;
}

async function usagesOf(ledger: Ledger, ids: readonly string[], organizationId = 'acme') {
  const totals = await ledger.budgetTotals(
    organizationId,
    ids.map((id) => ({ id, limitReset: null })),
  );
  return totals.map(({ usage, held }) => [usage, held]);
}

const isHeld = ({ status }: HoldResult) => status === 'held';

describe('a batch', () => {
  it('counts the budgets of several organizations as if their calls had come one after the other', async () => {
    const ledger = database().ledger({ batchers: 1 });
    const organizations = ['acme', 'globex', 'initech'];
    for (const organizationId of organizations)
      await ledger.grant(grantOf({ grantId: organizationId, organizationId }));
    // While this one is on its way, the others wait for each other and are sent together.
    const first = ledger.hold(holdOf({ holdId: 'first', budgets: [budgetOf('team', 50n)] }));
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const organizationId = organizations[index % 3] ?? '';
        const budgets = [budgetOf(`user-${index % 4}`, 20n), budgetOf('team', 50n)];
        // A key of several organizations, which takes turns.
        return ledger.hold(holdOf({ holdId: `hold-${index}`, organizationId, keyId: `key-${index % 2}`, budgets }));
      }),
    );
    expect([isHeld(await first), results.filter(isHeld).length]).toEqual([true, 14]);
    expect(results.filter((result) => !isHeld(result))).toHaveLength(46);
    for (const organizationId of organizations) {
      expect(await usagesOf(ledger, ['team'], organizationId)).toEqual([[0n, 50n]]);
      const counted = await countedOf(organizationId);
      expect(counted?.['counted']).toBe(counted?.['there']);
    }
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('counts in later turns what earlier ones have written, and makes no counter of a refused call', async () => {
    const ledger = database().ledger({ batchers: 1 });
    await ledger.grant(grantOf());
    await ledger.hold(holdOf({ holdId: 'settled', budgets: [budgetOf('team', 30n)] }));
    const first = ledger.grant(grantOf({ grantId: 'first' }));
    const same = Array.from({ length: 3 }, () => ledger.settle('settled', chargeOf()));
    const twice = Array.from({ length: 2 }, () => ledger.hold(holdOf({ budgets: [budgetOf('team', 30n)] })));
    const refused = ledger.hold(holdOf({ holdId: 'refused', budgets: [budgetOf('never', 5n)] }));
    expect((await Promise.all([first, ...same, refused])).at(-1)).toMatchObject({ by: 'budget', budget: 'never' });
    expect((await Promise.allSettled(twice)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await usagesOf(ledger, ['team', 'never'])).toEqual([
      [7n, 10n],
      [0n, 0n],
    ]);
    expect(await countedOf()).toEqual({ counted: 1, there: 1 });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('never waits for another in a circle, in whatever order calls name budgets', async () => {
    const pools = [database().pool, database().otherPool()].map((pool) => watchedPool(pool));
    const ledgers = pools.map(({ pool }) => database().ledger({ pool, batchers: 4 }));
    const named = ['a', 'b', 'c', 'd'].map((id) => budgetOf(id));
    const work = Array.from({ length: 300 }, async (_, index) => {
      const ledger = ledgers[index % 2] as Ledger;
      const organizationId = `organization-${index % 5}`;
      const budgets = index % 3 === 0 ? named : named.toReversed();
      const holdId = `hold-${index}`;
      await ledger.hold(
        holdOf({ holdId, organizationId, amount: 0n, operatorPays: true, keyId: `key-${index % 7}`, budgets }),
      );
      await ledger.settle(holdId, chargeOf({ cost: 1n }));
    });
    await Promise.all(work);
    expect(pools.map(({ failures }) => failures)).toEqual([[], []]);
    const ids = named.map(({ id }) => id);
    expect(await usagesOf(ledgers[0] as Ledger, ids, 'organization-0')).toEqual(ids.map(() => [60n, 0n]));
    expect(await ledgers[0]?.audit()).toMatchObject({ budgets: 20, differences: [] });
  });
});

it('says that a refused call fits without the open holds, where its budgets have no limit', async () => {
  const ledger = database().ledger();
  await ledger.grant(grantOf({ amount: 15n }));
  await ledger.hold(holdOf());
  const refused = await ledger.hold(holdOf({ holdId: 'hold-2', budgets: [budgetOf('team')] }));
  expect(refused).toMatchObject({ by: 'organization_credits', fitsWithoutHolds: true });
});

describe('a call without budgets', () => {
  it('sends not a word about them, and no statement more', async () => {
    const sent: string[] = [];
    const { pool } = watchedPool(database().pool);
    const watched = {
      connect: async () => {
        const client = await pool.connect();
        const query: typeof client.query = (given) => {
          sent.push(JSON.stringify(given.values));
          return client.query(given);
        };
        return { ...client, query };
      },
    };
    const ledger = database().ledger({ pool: watched });
    await ledger.grant(grantOf());
    for (const holdId of ['settled', 'released']) await ledger.hold(holdOf({ holdId, budgets: [] }));
    await ledger.settle('settled', chargeOf());
    await ledger.release('released', { reason: 'failed' });
    await ledger.adjust(adjustmentOf({ budgets: [] }));
    expect(sent).toHaveLength(6);
    expect(sent.filter((values) => /budget/.test(values))).toEqual([]);
    const kept = 'SELECT count(budgets)::int4 AS kept FROM';
    for (const table of ['entries', 'holds'])
      expect(await database().run(`${kept} searchgate.${table}`)).toEqual([{ kept: 0 }]);
  });
});

describe('an organization with as many budgets as it can have', () => {
  it('makes no further counter, by a hold or an adjustment, until some are forgotten', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock });
    await ledger.grant(grantOf());
    await ledger.hold(holdOf({ budgets: [budgetOf('known')] }));
    await ledger.settle('hold-1', chargeOf());
    const others = `INSERT INTO searchgate.budget_usages SELECT 'acme', 'other-' || n, 0, 0, 0, 0, 0, 0, 0, 0 FROM generate_series(2, $1) n`;
    await database().run(others, [MAX_BUDGETS]);
    await database().run('UPDATE searchgate.organization_balances SET budgets = $1', [MAX_BUDGETS]);
    const more = holdOf({ holdId: 'more', budgets: [budgetOf('new'), budgetOf('known')] });
    const before = await ledger.organizationTotals('acme');
    await expect(ledger.hold(more)).rejects.toMatchObject({ reason: 'too_many_budgets' });
    const adjusted = ledger.adjust(adjustmentOf({ budgets: ['new'] }));
    await expect(adjusted).rejects.toMatchObject({ reason: 'too_many_budgets' });
    expect(await ledger.organizationTotals('acme')).toEqual(before);
    expect(await ledger.hold(holdOf({ holdId: 'known', budgets: [budgetOf('known')] }))).toMatchObject({
      status: 'held',
    });
    // A sweep forgets 20,000 rows at most; the budget that is used and the one that holds stay.
    await ledger.expireHolds(0);
    expect(await countedOf()).toEqual({ counted: MAX_BUDGETS - 20_000, there: MAX_BUDGETS - 20_000 });
    expect((await ledger.hold(more)).status).toBe('held');
    expect((await ledger.audit()).differences).toEqual([]);
  }, 30_000);
});

describe('an idle budget', () => {
  it('is forgotten with what was removed of it, and begins again at nothing', async () => {
    const clock = createFakeClock(Date.UTC(2026, 0, 1));
    const ledger = database().ledger({ clock });
    await ledger.grant(grantOf());
    const call = async (holdId: string) => {
      await ledger.hold(
        holdOf({ holdId, budgets: [budgetOf('user:ada', 50n), budgetOf('team', 50n, { isKept: true })] }),
      );
      await ledger.settle(holdId, chargeOf());
    };
    for (const holdId of ['a', 'b']) await call(holdId);
    const cut = async (limit: number) => ledger.removeEntries((await ledger.entries({ limit })).nextCursor ?? '');
    expect(await cut(2)).toBe(1);
    expect((await ledger.audit()).differences).toEqual([]);
    await clock.advance(FORGOTTEN_MS);
    await ledger.expireHolds(0);
    expect(await usagesOf(ledger, ['user:ada', 'team'])).toEqual([
      [0n, 0n],
      [14n, 0n],
    ]);
    expect(await countedOf()).toEqual({ counted: 1, there: 1 });
    expect((await ledger.audit()).differences).toEqual([]);
    for (const holdId of ['c', 'd']) await call(holdId);
    expect((await ledger.audit()).differences).toEqual([]);
    // What is removed now is in part of the counter that was forgotten.
    expect(await cut(3)).toBe(2);
    expect((await ledger.audit()).differences).toEqual([]);
    expect(await usagesOf(ledger, ['user:ada', 'team'])).toEqual([
      [14n, 0n],
      [28n, 0n],
    ]);
  });

  it('may be forgotten by one process while another uses it', async () => {
    const { pool, failures } = watchedPool(database().pool);
    const ledger = database().ledger({ pool });
    const other = database().otherPool();
    const over = new AbortController();
    const sweeping = (async () => {
      // At the end of time every budget is idle that holds nothing.
      while (!over.signal.aborted) await other.query('SELECT searchgate.forget_counters(4102444800000, 1000)');
    })();
    try {
      for (let round = 0; round < 300; round += 1) {
        const ids = Array.from({ length: 4 }, (_, index) => `${round}-${index}`);
        const budgets = [budgetOf('user:ada'), budgetOf('team', null, { isKept: true })];
        await Promise.all(
          ids.map((holdId) =>
            ledger.hold(
              holdOf({ holdId, organizationId: `organization-${round % 3}`, amount: 0n, operatorPays: true, budgets }),
            ),
          ),
        );
        await Promise.all(ids.map((holdId) => ledger.settle(holdId, chargeOf({ cost: 1n }))));
      }
    } finally {
      over.abort();
      await sweeping;
    }
    expect(failures).toEqual([]);
    expect(await usagesOf(ledger, ['team'], 'organization-0')).toEqual([[400n, 0n]]);
    for (const index of [0, 1, 2]) {
      const counted = await countedOf(`organization-${index}`);
      expect(counted?.['counted']).toBe(counted?.['there']);
    }
  }, 30_000);
});

it('stamps a budget that was made before the clock was set back as the log does', async () => {
  const clock = createFakeClock(Date.UTC(2026, 5, 15));
  const ledger = database().ledger({ clock });
  await ledger.hold(holdOf({ amount: 0n, budgets: [budgetOf('team')] }));
  clock.setBack(3 * DAY_MS);
  await ledger.settle('hold-1', chargeOf());
  await ledger.grant(grantOf());
  expect((await ledger.audit()).differences).toEqual([]);
  expect(await ledger.removeEntries((await ledger.entries({ limit: 1 })).nextCursor ?? '')).toBe(1);
  expect((await ledger.audit()).differences).toEqual([]);
});

it('either deletes a budget or gives a key that names it, where both are asked for at once', async () => {
  const registries = [database().ledger(), database().ledger({ pool: database().otherPool() })].map(
    ({ apiKeys }) => apiKeys,
  );
  const [one, other] = registries as [(typeof registries)[number], (typeof registries)[number]];
  for (let round = 0; round < 20; round += 1) {
    const id = `budget-${round}`;
    await one.setBudget({ organizationId: 'acme', id, limit: 1n, limitReset: null, mode: 'enforce', createdAtMs: 1 });
    const key = keyOf({ id: `key-${round}`, hash: `${round}`.padStart(64, '0'), budgets: [id] });
    const [inserted, deleted] = await Promise.allSettled([other.insertKey(key), one.deleteBudget('acme', id)]);
    expect([inserted.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect((await one.findBudget('acme', id)) === undefined).toBe(inserted.status === 'rejected');
  }
});
