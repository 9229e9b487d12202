import type { HoldBudget } from '@searchgate/core/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Handle } from '../../test/drivers.js';
import { budgetOf, chargeOf, grantOf, holdOf, times } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { type SqliteLedger, sqliteLedger } from '../index.js';

/** Several slices. */
const CHARGES = 1_800;

let storage: Storage;
let database: Handle;
let ledger: SqliteLedger;

beforeEach(async () => {
  storage = createStorage();
  database = storage.open();
  ledger = await storage.connect();
  await ledger.grant(grantOf({ amount: 1_000_000n }));
  await chargeMany('first');
});
afterEach(() => storage.dispose());

/** Of every other call. */
function budgetsOf(index: number): HoldBudget[] {
  return index % 2 === 0 ? ['team', `user:${index % 5}`].map((id) => budgetOf({ id, limit: null })) : [];
}

async function chargeMany(name: string): Promise<void> {
  const ids = times(CHARGES, (index) => `${name}-${index}`);
  await Promise.all(
    ids.map((holdId, index) =>
      ledger.hold(holdOf({ holdId, keyId: `key-${index % 3}`, amount: 1n, budgets: budgetsOf(index) })),
    ),
  );
  await Promise.all(ids.map((holdId) => ledger.settle(holdId, chargeOf({ cost: 1n }))));
}

function entriesIn(): unknown {
  return database.prepare('SELECT count(*) AS entries, min(seq) AS first FROM searchgate_entries').get();
}

it('removes in several transactions, and an audit in the middle of it stays right', async () => {
  const removing = ledger.removeEntries(String(CHARGES + 1));
  const other = await storage.connect();
  const removal = { isDone: false };
  const outcomes: unknown[] = [];
  const auditing = (async () => {
    while (!removal.isDone) {
      const audit = other.audit().then(
        ({ differences }) => differences,
        (error: Error) => error.message,
      );
      outcomes.push(await audit);
    }
  })();
  expect(await removing).toBe(CHARGES - 1);
  removal.isDone = true;
  await auditing;
  const failed = 'entries were removed from the log while it was audited: audit it again';
  expect(outcomes.length).toBeGreaterThan(0);
  expect([[], failed]).toEqual(expect.arrayContaining(outcomes));
  expect(entriesIn()).toMatchObject({ entries: 2, first: 1 });
  expect(await other.audit()).toMatchObject({ entries: 1, differences: [] });
});

it('keeps what it has removed when it stops half-way, and can be called again', async () => {
  let commits = 0;
  const handle = storage.open();
  const failing = sqliteLedger({
    database: {
      prepare: (sql) => handle.prepare(sql),
      exec(sql) {
        if (sql === 'COMMIT') commits += 1;
        if (commits > 3) throw new Error('killed');
        return handle.exec(sql);
      },
    },
  });
  await expect(failing.removeEntries(String(CHARGES + 1))).rejects.toThrow('killed');
  handle.exec('ROLLBACK');
  const { entries } = entriesIn() as { entries: number };
  expect(entries).toBeLessThan(CHARGES);
  expect(entries).toBeGreaterThan(2);
  expect((await ledger.audit()).differences).toEqual([]);
  expect(await ledger.removeEntries(String(CHARGES + 1))).toBe(entries - 2);
  expect((await ledger.audit()).differences).toEqual([]);
});

it('uses the pages of removed entries for new ones', async () => {
  const freePages = () => database.prepare('PRAGMA freelist_count').get() as { readonly freelist_count: number };
  expect(freePages()).toMatchObject({ freelist_count: 0 });
  await ledger.removeEntries(String(CHARGES + 1));
  const { freelist_count: free } = freePages();
  expect(free).toBeGreaterThan(10);
  await chargeMany('second');
  expect(freePages().freelist_count).toBeLessThan(free);
});
