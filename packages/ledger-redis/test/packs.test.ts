import { type HoldBudget, MAX_NANO_USD } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { expectSumsOfLog } from './sums-of-log.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const DAY_MS = 86_400_000;
/** More than a pack holds, and a script packs. */
const KEYS = 300;
const budgetsOf = (...ids: string[]) => ids.map((id) => ({ id, limit: null, limitReset: null, isKept: true }));

/*
 * Sums of days and months that are over are packed when holds are swept. The conformance suite says what they have to be, the audit that they are; here it is about
 * what only packs can get wrong.
 */
describe.skipIf(server === undefined)(`packed sums${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    const clock = createFakeClock();
    let behindMs = 0;
    const now = () => clock.now() - behindMs;
    const opened = await openLedger(server.url, { clock: { ...clock, now } });
    const { ledger, prefix, command } = opened;
    let calls = 0;
    const call = async (
      keyId: string,
      changes: { model?: string; tag?: string; organizationId?: string; budgets?: HoldBudget[] } = {},
    ) => {
      calls += 1;
      const number = calls;
      const { organizationId = 'acme', model = CHARGE.model, ...tagged } = changes;
      const of = { keyId, organizationId, amount: 0n, expiresAtMs: now() + DAY_MS };
      await ledger.hold(holdOf(`${number}`, { ...of, ...tagged }));
      await ledger.settle(`${number}`, { ...CHARGE, model, cost: 0n, upstreamCost: BigInt(number) });
    };
    /** A call of each key. Their numbers are no order of theirs. */
    const callAll = () => {
      const keys = Array.from({ length: KEYS }, (_, key) => key);
      return Promise.all(
        keys.map((key) => {
          const organizationId = key % 3 === 0 ? 'acme' : `org-${key % 7}`;
          const tagged = key % 2 === 0 ? { tag: `t${key % 4}` } : {};
          const budgets = key % 5 === 0 ? budgetsOf('team', ...(key % 10 === 0 ? ['b', 'a'] : [])) : [];
          return call(`key-${key}`, { organizationId, model: `model-${key % 5}`, budgets, ...tagged });
        }),
      );
    };
    return {
      ...opened,
      call,
      callAll,
      nextDay: () => clock.advance(DAY_MS),
      setBack: (days: number) => {
        behindMs += days * DAY_MS;
      },
      sweep: () => ledger.expireHolds(0),
      /** How many names there are, by their letters. */
      async names() {
        const names = (await command('ZRANGE', `{${prefix}}:sum-names`, '0', '-1')) as string[];
        const counts: Record<string, number> = {};
        for (const letter of names.map((name) => name.slice(0, 1)).filter((each) => /[dDmMoO]/.test(each)))
          counts[letter] = (counts[letter] ?? 0) + 1;
        return counts;
      },
    };
  };

  test('are those of days and months that are over, and add up to the log', async () => {
    const { callAll, nextDay, sweep, names, ledger } = await open();
    for (let day = 0; day < 3; day += 1) {
      await callAll();
      await nextDay();
    }
    await callAll();
    await expectSumsOfLog(ledger);
    await sweep();
    const { d, D = 0, O, m = 0, o } = await names();
    expect([d, O, o]).toEqual([KEYS, 3, undefined]);
    expect([D, m]).toEqual([3 * Math.ceil(KEYS / 64), KEYS]);
    await expectSumsOfLog(ledger);
    for (let day = 0; day < 31; day += 1) await nextDay();
    await sweep();
    expect(Object.keys(await names()).sort()).toEqual(['D', 'M', 'O']);
    await expectSumsOfLog(ledger);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('are found by organization and by key, wherever in a pack these are', async () => {
    const { callAll, nextDay, sweep, ledger } = await open();
    await callAll();
    await nextDay();
    await sweep();
    const rows = await ledger.usage({ by: 'key', limit: 1_000 });
    expect(rows).toHaveLength(KEYS);
    for (const { group, ...sums } of rows) {
      for (const by of ['day', 'model', 'key'] as const) {
        const [row] = await ledger.usage({ by, keyId: `${group}` });
        expect({ ...row, group: undefined }).toEqual({ ...sums, group: undefined });
      }
    }
    const each = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((org) => ledger.usage({ by: 'key', organizationId: `org-${org}`, limit: 1_000 })),
    );
    const ofOthers = each.flat().map(({ upstreamCost }) => upstreamCost);
    const acme = await ledger.usage({ by: 'organization', organizationId: 'acme' });
    const all = rows.reduce((sum, { upstreamCost }) => sum + upstreamCost, 0n);
    const org0 = await ledger.usage({ by: 'organization', organizationId: 'org-0' });
    const others = ofOthers.reduce((sum, cost) => sum + cost, 0n);
    expect(others + (acme[0]?.upstreamCost ?? 0n) + (org0[0]?.upstreamCost ?? 0n)).toBe(all);
  });

  test('tell what was spent in a budget, by each group and in each period', async () => {
    const { callAll, nextDay, sweep, ledger } = await open();
    const groups = ['organization', 'key', 'budget', 'model', 'tag', 'day'] as const;
    const read = () => Promise.all(groups.map((by) => ledger.usage({ by, budget: 'a', limit: 1_000 })));
    for (let day = 0; day < 2; day += 1) {
      await callAll();
      await nextDay();
    }
    const before = await read();
    expect(before.map((rows) => rows.reduce((sum, { charges }) => sum + charges, 0))).toEqual([
      60, 60, 180, 60, 60, 60,
    ]);
    await sweep();
    expect(await read()).toEqual(before);
    for (let day = 0; day < 31; day += 1) await nextDay();
    await sweep();
    expect(await read()).toEqual(before);
  });

  test('get nothing more where the clock is set back: what comes in late is added when read', async () => {
    const { call, callAll, nextDay, setBack, sweep, names, ledger } = await open();
    await callAll();
    for (let day = 0; day < 40; day += 1) await nextDay();
    await callAll();
    await sweep();
    const before = await names();
    setBack(40);
    for (const key of ['key-0', 'key-7', 'key-299', 'key-new']) await call(key, { tag: 'late' });
    await sweep();
    expect(await names()).toEqual({ ...before, d: (before['d'] ?? 0) + 4 });
    await expectSumsOfLog(ledger);
    expect(await ledger.usage({ by: 'tag', keyId: 'key-new' })).toMatchObject([{ group: 'late', charges: 1 }]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('hold amounts of any size, and any text a model may be', async () => {
    const { ledger, call, nextDay, sweep } = await open();
    for (const model of ['a\nb', 'a\tb', '\u007f\\', '\\010', '\\', 'a b', 'é', '']) await call('key-1', { model });
    const loss = { model: 'exa/answer', provider: 'exa', cost: MAX_NANO_USD, reason: 'failed' };
    await ledger.hold(holdOf('large', { amount: 0n }));
    await ledger.release('large', { reason: 'failed', losses: [loss, loss, loss, loss] });
    await ledger.grant(grantOf(MAX_NANO_USD));
    const before = await ledger.usage({ by: 'model' });
    expect(before.map(({ group }) => group)).toEqual(
      ['\\', '\\010', '\u007f\\', 'a\tb', 'a\nb', 'a b', 'exa/answer', 'é', null].sort(byBytes),
    );
    await nextDay();
    await sweep();
    expect(await ledger.usage({ by: 'model' })).toEqual(before);
    expect(before.find(({ group }) => group === 'exa/answer')?.lost).toBe(4n * MAX_NANO_USD);
    await expectSumsOfLog(ledger);
  });

  test('are read once each, also while others pack', async () => {
    const { callAll, nextDay, sweep, ledger } = await open();
    for (let day = 0; day < 3; day += 1) {
      await callAll();
      await nextDay();
    }
    const sweeping = sweep();
    const pages = await Promise.all(Array.from({ length: 20 }, () => ledger.usage({ by: 'organization' })));
    await sweeping;
    for (const rows of pages) expect(rows.reduce((sum, { charges }) => sum + charges, 0)).toBe(3 * KEYS);
    await expectSumsOfLog(ledger);
  });
});

/** What has none comes last. */
function byBytes(one: string | null, other: string | null): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
