import assert from 'node:assert/strict';
import type { EntryQuery, Ledger, LedgerEntry } from '@searchgate/core/ledger';
import { allPages } from '../all-pages.js';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

async function grantMany(ledger: Ledger, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `grant-${index + 1}`);
  for (const grantId of ids) await ledger.grant(grantOf({ grantId, amount: 1n }));
  return ids;
}

const idsOf = (entries: readonly LedgerEntry[]) => entries.map(({ id }) => id);

/** Entries of two organizations and three keys, at different times if the test can move the clock. */
async function writeMixedLog({ ledger, advance }: LedgerUnderTest): Promise<readonly LedgerEntry[]> {
  for (const organizationId of ['acme', 'globex']) {
    await ledger.grant(grantOf({ grantId: `grant-${organizationId}`, organizationId }));
    for (const keyId of [`${organizationId}-a`, `${organizationId}-b`, 'shared']) {
      await advance?.(1_000);
      const holdId = `hold-${organizationId}-${keyId}`;
      await ledger.hold(holdOf({ holdId, organizationId, keyId }));
      await ledger.settle(holdId, chargeOf());
    }
    await ledger.adjust(adjustmentOf({ adjustmentId: `adjustment-${organizationId}`, organizationId }));
  }
  return allEntries(ledger);
}

/** The filters of the contract, applied to the whole log. */
function matching(log: readonly LedgerEntry[], { organizationId, keyId, fromMs, toMs }: EntryQuery): LedgerEntry[] {
  return log
    .filter((entry) => organizationId === undefined || entry.organizationId === organizationId)
    .filter((entry) => keyId === undefined || entry.keyId === keyId)
    .filter((entry) => fromMs === undefined || entry.atMs >= fromMs)
    .filter((entry) => toMs === undefined || entry.atMs < toMs);
}

/**
 * The log: in order of writing, in pages that neither skip nor repeat, with exact filters, and immutable.
 */
export function registerLog(suite: LedgerSuite): void {
  suite.describe('entries', () => {
    registerPages(suite);
    registerFilters(suite);
  });
}

function registerPages({ test }: LedgerSuite): void {
  test('gives pages of 100 by default, oldest first', async ({ ledger }) => {
    const ids = await grantMany(ledger, 101);
    const page = await ledger.entries();
    assert.deepEqual(idsOf(page.entries), ids.slice(0, 100));
    const last = await ledger.entries({ cursor: page.nextCursor ?? 'none' });
    assert.deepEqual(idsOf(last.entries), ids.slice(100));
    assert.equal(last.nextCursor, null);
    assert.deepEqual(idsOf((await ledger.entries({ limit: 1_000 })).entries), ids);
  });

  for (const limit of [1, 4, 5, 12, 13]) {
    test(`walks 12 entries in pages of ${limit} and knows which page is the last`, async ({ ledger }) => {
      const ids = await grantMany(ledger, 12);
      const pages = await allPages((next) => ledger.entries({ limit, ...next }));
      assert.deepEqual(
        pages.flatMap(({ entries }) => idsOf(entries)),
        ids,
      );
      assert.equal(pages.length, Math.ceil(12 / limit));
    });
  }

  test('neither skips nor repeats when entries are written between pages', async ({ ledger }) => {
    const ids = await grantMany(ledger, 5);
    const page = await ledger.entries({ limit: 3 });
    await ledger.grant(grantOf({ grantId: 'grant-6' }));
    const rest = await ledger.entries({ limit: 100, cursor: page.nextCursor ?? 'none' });
    assert.deepEqual(idsOf([...page.entries, ...rest.entries]), [...ids, 'grant-6']);
    const again = await ledger.entries({ limit: 1, cursor: page.nextCursor ?? 'none' });
    assert.deepEqual(idsOf(again.entries), ['grant-4']);
  });

  test('refuses an invalid cursor', async ({ ledger }) => {
    await grantMany(ledger, 3);
    for (const cursor of ['', 'nonsense', '-1', '1e3', '99999999999999999999', "' or 1=1 --"]) {
      await assertRefused('invalid_cursor', () => ledger.entries({ cursor }));
    }
  });

  test('does not change when a reader changes its copy', async ({ ledger }) => {
    await grantMany(ledger, 2);
    const before = structuredClone(await allEntries(ledger));
    const { entries } = await ledger.entries();
    Reflect.set(entries[0] ?? {}, 'amount', 999n);
    Reflect.set(entries, 'length', 1);
    assert.deepEqual(await allEntries(ledger), before);
  });
}

function registerFilters({ test, testWith }: LedgerSuite): void {
  test('filters by organization, key, both and neither', async (under) => {
    const log = await writeMixedLog(under);
    assert.equal(log.length, 10);
    for (const organizationId of ['acme', 'globex', 'unknown', undefined]) {
      for (const keyId of ['acme-a', 'globex-b', 'shared', 'nothing', undefined]) {
        const query = { ...(organizationId && { organizationId }), ...(keyId && { keyId }) };
        assert.deepEqual(await allEntries(under.ledger, query), matching(log, query));
      }
    }
  });

  test('filters by time, from inclusive and to exclusive', async (under) => {
    const log = await writeMixedLog(under);
    const times = [...new Set(log.map(({ atMs }) => atMs))];
    for (const fromMs of [...times, (times.at(-1) ?? 0) + 1]) {
      for (const toMs of times) {
        assert.deepEqual(await allEntries(under.ledger, { fromMs }), matching(log, { fromMs }));
        assert.deepEqual(await allEntries(under.ledger, { toMs }), matching(log, { toMs }));
        const both = { organizationId: 'globex', keyId: 'shared', fromMs, toMs };
        assert.deepEqual(await allEntries(under.ledger, both), matching(log, both));
      }
    }
  });

  test('walks filtered pages by the same cursors', async (under) => {
    const log = await writeMixedLog(under);
    for (const limit of [1, 2, 3]) {
      const query = { organizationId: 'globex', limit };
      assert.deepEqual(await allEntries(under.ledger, query), matching(log, query));
    }
  });

  test('stamps entries with whole milliseconds of its own clock', async (under) => {
    const fromMs = under.now();
    const log = await writeMixedLog(under);
    const toMs = under.now();
    for (const { atMs } of log) assert.ok(Number.isInteger(atMs) && atMs >= fromMs && atMs <= toMs);
  });

  testWith('advance', 'stamps each entry with the moment it was written', async ({ ledger, now, advance }) => {
    const startMs = now();
    await ledger.grant(grantOf());
    await advance(250);
    await ledger.grant(grantOf({ grantId: 'grant-2' }));
    const times = (await allEntries(ledger)).map(({ atMs }) => atMs - startMs);
    assert.deepEqual(times, [0, 250]);
  });
}
