import { BUDGET_IDLE_DAYS, type HoldBudget, MAX_BUDGETS, MAX_NANO_USD } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const DAY_MS = 86_400_000;
const IDLE_MS = (BUDGET_IDLE_DAYS + 1) * DAY_MS;
const CREATED_AT_MS = 1_000;

const budgetOf = (id: string, changes: Partial<HoldBudget> = {}): HoldBudget => {
  return { id, limit: null, limitReset: 'daily', isKept: false, ...changes };
};

describe.skipIf(server === undefined)(`budgets${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    const clock = createFakeClock();
    const opened = await openLedger(server.url, { clock, endedHoldRetentionMs: 365 * DAY_MS });
    const { ledger, prefix, command } = opened;
    await ledger.grant(grantOf(1_000_000n));
    const hold = (holdId: string, ...budgets: HoldBudget[]) =>
      ledger.hold(holdOf(holdId, { budgets, expiresAtMs: clock.now() + DAY_MS }));
    const call = async (holdId: string, ...budgets: HoldBudget[]) => {
      await hold(holdId, ...budgets);
      await ledger.settle(holdId, CHARGE);
    };
    const usageOf = async (...ids: string[]) => {
      const totals = await ledger.budgetTotals(
        'acme',
        ids.map((id) => ({ id, limitReset: null })),
      );
      return totals.map(({ usage }) => usage);
    };
    const count = () => command('HGET', `{${prefix}}:key-counters`, 'acme ');
    const idle = () => command('ZRANGE', `{${prefix}}:idle-budgets`, '0', '-2');
    return { ...opened, clock, hold, call, usageOf, count, idle };
  };

  test('have at most 100,000 counters an organization: a call that needs one more changes nothing', async () => {
    const { ledger, prefix, command, hold, usageOf, count } = await open();
    await hold('first', budgetOf('a'));
    await command('HSET', `{${prefix}}:key-counters`, 'acme ', `${MAX_BUDGETS - 1}`);
    const tooMany = { reason: 'too_many_budgets' };
    await expect(hold('two', budgetOf('a'), budgetOf('b'), budgetOf('c'))).rejects.toMatchObject(tooMany);
    await hold('one', budgetOf('a'), budgetOf('b'));
    expect(await count()).toBe(`${MAX_BUDGETS}`);
    const adjustment = { adjustmentId: 'one', organizationId: 'acme', amount: 3n, note: '' };
    await expect(ledger.adjust({ ...adjustment, budgets: ['c'] })).rejects.toMatchObject(tooMany);
    expect(await ledger.adjust({ ...adjustment, budgets: ['a'] })).toEqual({ applied: true });
    expect(await ledger.adjust({ ...adjustment, organizationId: 'globex', budgets: ['c'] })).toEqual({ applied: true });
    expect(await usageOf('a', 'b', 'c')).toEqual([3n, 0n, 0n]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('are forgotten by as many scripts as it takes, and no longer counted', async () => {
    const { ledger, clock, hold, call, count, idle } = await open();
    const ids = Array.from({ length: 230 }, (_, index) => `user:${index}`);
    await Promise.all(ids.map((id) => call(id, budgetOf(id))));
    await call('team', budgetOf('team', { isKept: true }));
    await hold('open', budgetOf('user:open'));
    expect(await count()).toBe('232');
    await clock.advance(IDLE_MS - DAY_MS);
    await ledger.expireHolds(0);
    expect(await count()).toBe('232');
    await clock.advance(DAY_MS);
    await ledger.expireHolds(0);
    expect([await count(), await idle()]).toEqual(['2', ['acme user:open']]);
    // What is kept is not looked at again, and what has ended since is forgotten later.
    await ledger.release('open', { reason: 'failed' });
    await clock.advance(IDLE_MS);
    await ledger.expireHolds(0);
    expect([await count(), await idle()]).toEqual(['1', []]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('stay once a call has said that they are kept', async () => {
    const { ledger, clock, call, usageOf } = await open();
    for (const [index, isKept] of [false, true, false].entries()) await call(`${index}`, budgetOf('a', { isKept }));
    await clock.advance(IDLE_MS);
    await ledger.expireHolds(0);
    expect(await usageOf('a')).toEqual([21n]);
  });

  test('count what is settled after they were forgotten', async () => {
    const { ledger, clock, hold, usageOf } = await open();
    await hold('late', budgetOf('a'));
    await clock.advance(IDLE_MS);
    await ledger.expireHolds(clock.now());
    await ledger.expireHolds(clock.now());
    expect(await ledger.settle('late', CHARGE)).toMatchObject({ status: 'settled', first: true });
    expect(await usageOf('a')).toEqual([7n]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('are audited beside a log of which a part was removed, also where they were forgotten in between', async () => {
    const { ledger, clock, call, usageOf } = await open();
    const both = [budgetOf('user'), budgetOf('team', { isKept: true })];
    const adjustment = { organizationId: 'acme', amount: -2n, note: '', budgets: ['team'] };
    for (const round of [1, 2, 3]) {
      await call(`${round}-a`, ...both);
      await ledger.adjust({ ...adjustment, adjustmentId: `${round}` });
      await call(`${round}-b`, ...both);
      await clock.advance(IDLE_MS);
      await ledger.expireHolds(0);
    }
    await call('last', ...both);
    expect(await usageOf('user', 'team')).toEqual([7n, 43n]);
    const { entries } = await ledger.entries();
    for (let cursor = 2; cursor <= entries.length; cursor += 1) {
      await ledger.removeEntries(`${cursor}`);
      expect((await ledger.audit()).differences).toEqual([]);
    }
    expect(await ledger.audit()).toMatchObject({ entries: 1, budgets: 2 });
  });

  test('have all 64 bits, and not one more', async () => {
    const { ledger, hold, usageOf } = await open();
    const adjustment = { organizationId: 'acme', note: '', budgets: ['a'] };
    await ledger.adjust({ ...adjustment, adjustmentId: 'up', amount: MAX_NANO_USD });
    await ledger.adjust({ organizationId: 'acme', adjustmentId: 'down', amount: -MAX_NANO_USD, note: '' });
    await ledger.adjust({ ...adjustment, adjustmentId: 'most', amount: MAX_NANO_USD - 1n });
    await ledger.adjust({ organizationId: 'acme', adjustmentId: 'down-again', amount: 1n - MAX_NANO_USD, note: '' });
    await hold('one', budgetOf('a'));
    await expect(ledger.settle('one', { ...CHARGE, cost: 1n })).rejects.toMatchObject({ reason: 'invalid_amount' });
    expect(await usageOf('a')).toEqual([2n ** 63n - 1n]);
    expect(await ledger.settle('one', { ...CHARGE, cost: 0n })).toMatchObject({ first: true });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('stay in their latest window where the clock was set back', async () => {
    const { clock, call, hold } = await open();
    const daily = budgetOf('a', { limit: 20n });
    await call('one', daily);
    await call('two', daily);
    clock.setBack(2 * DAY_MS);
    expect(await hold('three', daily)).toMatchObject({ by: 'budget', usage: 14n });
  });

  describe('of a registry', () => {
    const setBudget = (id: string, createdAtMs = CREATED_AT_MS) => {
      return { organizationId: 'acme', id, limit: 5n, limitReset: null, mode: 'enforce', createdAtMs } as const;
    };
    const keyOf = (id: string, budgets: string[]) => {
      const none = { limit: null, limitReset: null, allowedModels: null, expiresAtMs: null, revokedAtMs: null };
      const hash = id.charCodeAt(0).toString(16).repeat(32);
      return { id, hash, organizationId: 'acme', label: '', createdAtMs: CREATED_AT_MS, budgets, ...none };
    };

    test('are in use by keys as these are now: named, moved, revoked', async () => {
      const { apiKeys } = (await open()).ledger;
      for (const id of ['a', 'a"\\b', 'c']) await apiKeys.setBudget(setBudget(id));
      for (const id of ['k', 'l']) await apiKeys.insertKey(keyOf(id, ['a', 'a"\\b']));
      const inUse = (id: string, keys: string) =>
        expect(apiKeys.deleteBudget('acme', id)).rejects.toMatchObject({
          reason: 'budget_in_use',
          message: expect.stringMatching(`keys ${keys}$`) as string,
        });
      await inUse('a', 'k, l');
      await inUse('a"\\b', 'k, l');
      await apiKeys.updateKey('k', { budgets: ['c'] });
      await inUse('a', 'l');
      await inUse('c', 'k');
      await apiKeys.updateKey('l', { revokedAtMs: 1 });
      expect(await apiKeys.deleteBudget('acme', 'a')).toBe(true);
      expect(await apiKeys.deleteBudget('acme', 'a')).toBe(false);
      // A key that is revoked stays so, and names what it named.
      await apiKeys.updateKey('l', { revokedAtMs: null, label: 'revoked' });
      expect(await apiKeys.findKey('l')).toMatchObject({ revokedAtMs: 1, budgets: ['a', 'a"\\b'] });
      expect(await apiKeys.deleteBudget('acme', 'a"\\b')).toBe(true);
    });

    test('are listed on from a budget that was deleted', async () => {
      const { apiKeys } = (await open()).ledger;
      for (const id of ['a', 'b', 'c']) await apiKeys.setBudget(setBudget(id));
      const { nextCursor } = await apiKeys.listBudgets('acme', { limit: 2 });
      await apiKeys.deleteBudget('acme', 'b');
      const { items } = await apiKeys.listBudgets('acme', { limit: 2, cursor: nextCursor ?? '' });
      expect(items).toEqual([setBudget('c')]);
    });

    test('are none of a key that was made by the version before', async () => {
      const { ledger, prefix, command } = await open();
      await ledger.apiKeys.insertKey(keyOf('k', []));
      const records = `{${prefix}}:api-key-records`;
      const record = String(await command('HGET', records, 'k'));
      await command('HSET', records, 'k', record.slice(0, record.lastIndexOf('\n')));
      expect(await ledger.apiKeys.findKey('k')).toMatchObject({ budgets: [] });
      expect((await ledger.apiKeys.findByHash(keyOf('k', []).hash))?.budgets).toBeUndefined();
      await ledger.apiKeys.setBudget(setBudget('a'));
      expect(await ledger.apiKeys.updateKey('k', { budgets: ['a'] })).toMatchObject({ budgets: ['a'] });
      expect((await ledger.apiKeys.findByHash(keyOf('k', []).hash))?.budgets).toMatchObject([{ id: 'a', limit: 5n }]);
    });
  });
});
