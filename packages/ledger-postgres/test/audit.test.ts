import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, LOSS } from './requests.js';

const database = migratedDatabase();
const DAY_MS = 86_400_000;

const TEAM = { id: 'team', limit: null, limitReset: 'daily', isKept: false } as const;

/** Grants, corrections and holds that ended in every way, all in one budget, on two days of one week. */
async function writeBooks() {
  const clock = createFakeClock(Date.UTC(2026, 10, 17));
  const ledger = database().ledger({ clock });
  await ledger.grant(grantOf());
  await ledger.adjust(adjustmentOf({ keyId: 'key-1', budgets: [TEAM.id] }));
  const budgets = [TEAM];
  await ledger.hold(holdOf({ holdId: 'yesterday', expiresAtMs: clock.now(), budgets }));
  await ledger.expireHolds(clock.now());
  await ledger.settle('yesterday', chargeOf({ cost: 10n }));
  await clock.advance(DAY_MS);
  for (const holdId of ['settled', 'open']) await ledger.hold(holdOf({ holdId, budgets }));
  await ledger.hold(holdOf({ holdId: 'waiting', amount: 0n, usesSlot: false, budgets }));
  await ledger.settle('settled', chargeOf({ losses: [LOSS] }));
  return ledger;
}

const COUNTERS = [
  ['organization_balances', 'credits', 'organization', 'acme', ['credits']],
  ['organization_balances', 'usage', 'organization', 'acme', ['sums', 'usage']],
  ['organization_balances', 'held', 'organization', 'acme', ['held']],
  ['organization_balances', 'in_flight', 'organization', 'acme', ['inFlight']],
  ['key_usages', 'held', 'key', 'key-1', ['held']],
  ['key_usages', 'in_flight', 'key', 'key-1', ['inFlight']],
  ['key_usages', 'usage', 'key', 'key-1', ['day', 'month', 'sums', 'usage', 'week']],
  ['key_usages', 'usage_before_day', 'key', 'key-1', ['day']],
  ['key_usages', 'usage_before_week', 'key', 'key-1', ['week']],
  ['key_usages', 'usage_before_month', 'key', 'key-1', ['month']],
  ['budget_usages', 'held', 'budget', 'acme team', ['held']],
  ['budget_usages', 'usage', 'budget', 'acme team', ['day', 'month', 'usage', 'week']],
  ['budget_usages', 'usage_before_day', 'budget', 'acme team', ['day']],
  ['budget_usages', 'usage_before_week', 'budget', 'acme team', ['week']],
  ['budget_usages', 'usage_before_month', 'budget', 'acme team', ['month']],
] as const;

describe('audit', () => {
  it('finds no difference in books only the ledger has written', async () => {
    const ledger = await writeBooks();
    expect(await ledger.audit()).toEqual({
      organizations: 1,
      keys: 1,
      budgets: 1,
      entries: 6,
      openHolds: 2,
      differences: [],
    });
    expect(await ledger.keyTotals('key-1', 'daily')).toEqual({
      usage: 22n,
      held: 10n,
      windowUsage: 7n,
      resetsAtMs: expect.any(Number) as number,
    });
  });

  it.each(COUNTERS)('catches a change of %s.%s behind its back', async (table, column, subject, id, counters) => {
    const ledger = await writeBooks();
    await database().run(`UPDATE searchgate.${table} SET ${column} = ${column} + 100`);
    const { differences } = await ledger.audit();
    expect(differences.map(({ counter }) => counter)).toEqual(counters);
    for (const difference of differences) {
      expect(difference).toMatchObject({ subject, id });
      const sign = column.startsWith('usage_before') ? -1n : 1n;
      expect(difference.counted - difference.recomputed).toBe(sign * 100n);
    }
  });

  it.each(['day', 'month', 'organization'])('catches a change of the sums of a level: %s', async (level) => {
    const ledger = await writeBooks();
    const change = 'UPDATE searchgate.usage_sums SET charged = charged + 100 WHERE charged > 7 AND level = $1';
    await database().run(change, [level]);
    const { differences } = await ledger.audit();
    const sums = { counter: 'sums', counted: 22n, recomputed: 122n } as const;
    const ofOrganization = { subject: 'organization', id: 'acme', ...sums };
    const ofKey = { subject: 'key', id: 'key-1', ...sums };
    expect(differences).toEqual(level === 'organization' ? [ofOrganization] : [ofOrganization, ofKey]);
  });

  it('catches sums that have gone, and those without an owner', async () => {
    const ledger = await writeBooks();
    await database().run(`UPDATE searchgate.usage_sums SET organization_id = 'unknown' WHERE level = 'month'`);
    const sums = { subject: 'organization', counter: 'sums' } as const;
    expect((await ledger.audit()).differences).toEqual([
      { ...sums, id: 'acme', counted: 22n, recomputed: 0n },
      { ...sums, id: 'unknown', counted: 0n, recomputed: 22n },
    ]);
  });

  it.each([
    ['organization', 'acme'],
    ['key', 'key-1'],
    ['budget', 'acme team'],
  ] as const)('catches a change of what was removed of a %s', async (subject, id) => {
    const ledger = await writeBooks();
    const { nextCursor } = await ledger.entries({ limit: 5 });
    expect(await ledger.removeEntries(nextCursor ?? '')).toBe(3);
    expect((await ledger.audit()).differences).toEqual([]);
    await database().run(`UPDATE searchgate.removed_of_${subject}s SET usage = usage + 100`);
    const { differences } = await ledger.audit();
    expect(differences).toContainEqual({
      subject,
      id,
      counter: 'usage',
      counted: 22n,
      recomputed: 122n,
    });
  });

  it('finds no difference after each slice of a removal, wherever it stops', async () => {
    const ledger = await writeBooks();
    const kinds: string[] = [];
    let after: { atMs: number; position: string } = { atMs: 0, position: '-1' };
    for (const { kind } of (await ledger.entries()).entries) {
      const place = [after.atMs, after.position, Date.UTC(2100, 0)];
      const [row] = await database().run('SELECT searchgate.remove_entries($1, $2, $3, 0, 1) AS slice', place);
      const slice = row?.['slice'] as typeof after & { removed: number };
      after = slice;
      if (slice.removed === 1) kinds.push(kind);
      expect((await ledger.audit()).differences).toEqual([]);
    }
    expect(kinds.sort()).toEqual(['charge', 'charge', 'expired', 'loss']);
  });

  it('catches an entry and a hold that have gone, and counters without an owner', async () => {
    const ledger = await writeBooks();
    await database().run(`DELETE FROM searchgate.entries WHERE kind = 'grant'`);
    await database().run(`DELETE FROM searchgate.holds WHERE hold_id = 'open'`);
    await database().run(
      `INSERT INTO searchgate.organization_balances (organization_id, credits) VALUES ('unknown', 5)`,
    );
    expect((await ledger.audit()).differences).toEqual([
      { subject: 'organization', id: 'acme', counter: 'credits', counted: 1_000n, recomputed: 0n },
      { subject: 'organization', id: 'acme', counter: 'held', counted: 10n, recomputed: 0n },
      { subject: 'organization', id: 'acme', counter: 'inFlight', counted: 1n, recomputed: 0n },
      { subject: 'organization', id: 'unknown', counter: 'credits', counted: 5n, recomputed: 0n },
      { subject: 'key', id: 'key-1', counter: 'held', counted: 10n, recomputed: 0n },
      { subject: 'key', id: 'key-1', counter: 'inFlight', counted: 1n, recomputed: 0n },
      { subject: 'budget', id: 'acme team', counter: 'held', counted: 10n, recomputed: 0n },
    ]);
  });

  it('catches counters that have gone', async () => {
    const ledger = await writeBooks();
    await database().run('DELETE FROM searchgate.key_usages; DELETE FROM searchgate.budget_usages');
    const { keys, budgets, differences } = await ledger.audit();
    expect([keys, budgets]).toEqual([0, 0]);
    const ofBudget = { subject: 'budget', id: 'acme team' };
    expect(differences).toContainEqual({ ...ofBudget, counter: 'usage', counted: 0n, recomputed: 22n });
    expect(differences).toContainEqual({ ...ofBudget, counter: 'held', counted: 0n, recomputed: 10n });
    // One that is made again has not the usage of before.
    await ledger.hold(holdOf({ holdId: 'again', budgets: [TEAM] }));
    await ledger.settle('again', chargeOf());
    expect((await ledger.audit()).differences).toContainEqual({
      ...ofBudget,
      counter: 'usage',
      counted: 7n,
      recomputed: 29n,
    });
    expect(differences).toContainEqual({ subject: 'key', id: 'key-1', counter: 'usage', counted: 0n, recomputed: 22n });
    expect(differences).toContainEqual({ subject: 'key', id: 'key-1', counter: 'held', counted: 0n, recomputed: 10n });
  });

  it('sees one moment while others go on working', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf({ amount: 1_000_000n }));
    let done = false;
    const working = Array.from({ length: 8 }, async (_, caller) => {
      for (let index = 0; !done; index += 1) {
        const holdId = `hold-${caller}-${index}`;
        await ledger.hold(
          holdOf({ holdId, keyId: `key-${caller % 3}`, budgets: [TEAM, { ...TEAM, id: `user-${index % 5}` }] }),
        );
        await ledger.settle(holdId, chargeOf());
      }
    });
    const auditor = database().ledger({ pool: database().otherPool() });
    const seen = new Set<number>();
    try {
      for (let round = 0; round < 10; round += 1) {
        const { differences, entries } = await auditor.audit();
        expect(differences).toEqual([]);
        seen.add(entries);
      }
    } finally {
      done = true;
      await Promise.all(working);
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});
