import assert from 'node:assert/strict';
import { USAGE_GROUPS, type UsageRow } from '@searchgate/core/ledger';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries } from './observe.js';
import { allUsage, assertUsage } from './observe-usage.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, TWO_LOSSES } from './requests.js';

const DAY_MS = 86_400_000;
/** Days between calls: consecutive days, ends and starts of months, and a month without calls. */
const DAYS_BETWEEN = [0, 1, 1, 12, 16, 1, 1, 25, 5, 1, 31, 28, 1, 1, 60];

/** Writes entries on several days of several months, some with a tag. @returns the days. */
async function writeOverMonths({ ledger, now, advance }: LedgerUnderTest): Promise<number[]> {
  assert.ok(advance !== undefined, 'a ledger that supports a clock brings advance()');
  const days: number[] = [];
  for (const [index, between] of DAYS_BETWEEN.entries()) {
    await advance(between * DAY_MS);
    days.push(Math.floor(now() / DAY_MS));
    const organizationId = index % 4 === 3 ? 'globex' : 'acme';
    const keyId = `key-${index % 3}`;
    const [holdId, amount] = [`hold-${index}`, BigInt(index)];
    await ledger.grant(grantOf({ grantId: holdId, organizationId, amount: 100n + amount }));
    if (index % 3 === 0) {
      await ledger.adjust(adjustmentOf({ adjustmentId: holdId, organizationId, amount: -amount, keyId }));
    }
    await ledger.hold(holdOf({ holdId, organizationId, keyId, ...(index % 2 === 0 && { tag: `team-${index % 5}` }) }));
    const losses = index % 5 === 0 ? { losses: TWO_LOSSES } : {};
    await ledger.settle(
      holdId,
      chargeOf({ cost: amount, upstreamCost: amount, model: `model-${index % 2}`, ...losses }),
    );
  }
  return days;
}

const groupsOf = (rows: readonly UsageRow[]) => rows.map(({ group }) => group);

/** Usage by days. */
export function registerUsageOverTime({ funded, test, supports, testWith }: LedgerSuite): void {
  funded(100n, 'counts only the days of the query, first included, last excluded', async ({ ledger, now }) => {
    const log = await allEntries(ledger);
    const today = Math.floor(now() / DAY_MS);
    const bounds = [undefined, 0, today - 40, today - 1, today, today + 1, today + 40, 2_932_896];
    for (const by of USAGE_GROUPS) {
      for (const fromDay of bounds) {
        for (const toDay of bounds) await assertUsage(ledger, log, { by, fromDay, toDay });
      }
    }
  });

  if (supports.clock !== true) return;

  test('adds up days and months, whatever parts of months are at the edges', async (under) => {
    const days = await writeOverMonths(under);
    const log = await allEntries(under.ledger);
    const last = days.at(-1) ?? 0;
    const bounds = [undefined, ...days.filter((_, index) => index % 3 === 0), (days[4] ?? 0) + 1, last, last + 1];
    for (const by of USAGE_GROUPS) {
      for (const fromDay of bounds) {
        for (const toDay of bounds) await assertUsage(under.ledger, log, { by, fromDay, toDay });
      }
    }
  });

  test('counts only the organization or key of the query, for any days', async (under) => {
    const days = await writeOverMonths(under);
    const log = await allEntries(under.ledger);
    const owners = [{ organizationId: 'acme' }, { keyId: 'key-1' }, { organizationId: 'globex', keyId: 'key-0' }];
    for (const owner of owners) {
      for (const by of USAGE_GROUPS) {
        for (const fromDay of [undefined, days[2], days[5]]) {
          for (const toDay of [undefined, days[7], days[12]]) {
            await assertUsage(under.ledger, log, { by, ...owner, fromDay, toDay });
          }
        }
      }
    }
  });

  test('returns each day with its date, in pages', async (under) => {
    const days = [...new Set(await writeOverMonths(under))];
    const dates = days.map((day) => new Date(day * DAY_MS).toISOString().slice(0, 10));
    for (const limit of [1, 4, 1_000]) {
      assert.deepEqual(groupsOf(await allUsage(under.ledger, { by: 'day', limit })), dates);
    }
    const ofKey = groupsOf(await allUsage(under.ledger, { by: 'day', limit: 2, keyId: 'key-0' }));
    const ordered = dates.filter((date) => ofKey.includes(date));
    assert.deepEqual(ofKey, ordered);
  });

  testWith('advance', 'begins a day, and a month, at midnight UTC', async ({ ledger, now, advance }) => {
    const date = new Date(now());
    const firstMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    const first = firstMs / DAY_MS;
    await advance(firstMs - 1 - now());
    await ledger.grant(grantOf({ grantId: 'before', amount: 1n }));
    await advance(1);
    await ledger.grant(grantOf({ grantId: 'after', amount: 2n }));
    const granted = async (range: { fromDay?: number; toDay?: number }) =>
      (await ledger.usage({ by: 'organization', ...range })).map((row) => row.granted);
    assert.deepEqual(await granted({ toDay: first }), [1n]);
    assert.deepEqual(await granted({ fromDay: first }), [2n]);
    assert.deepEqual(await granted({ fromDay: first - 1, toDay: first }), [1n]);
    assert.deepEqual(await granted({ fromDay: first, toDay: first + 1 }), [2n]);
    assert.deepEqual(await granted({}), [3n]);
  });

  testWith('advance', 'keeps more tags apart on the next day', async ({ ledger, advance }) => {
    const lose = async (holdId: string, first: number) => {
      await ledger.hold(holdOf({ holdId, amount: 0n, tag: 'many' }));
      const losses = Array.from({ length: 100 }, (_, index) => {
        return { model: `model-${first + index}`, provider: 'exa', cost: 1n, reason: 'failed' };
      });
      await ledger.release(holdId, { reason: 'failed', losses });
    };
    for (const day of [0, 1]) {
      for (let slice = 0; slice < 11; slice += 1) await lose(`${day}.${slice}`, slice * 100);
      await advance(DAY_MS);
    }
    const lost = (await allUsage(ledger, { by: 'tag' })).map((row) => [row.group, row.lost]);
    assert.deepEqual(lost, [
      ['many', 2_000n],
      [null, 200n],
    ]);
  });
}
