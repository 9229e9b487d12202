import assert from 'node:assert/strict';
import { type BudgetRefused, type Ledger, LIMIT_RESETS, limitWindowAt } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange, assertWindows } from './observe.js';
import { chargeOf, grantOf, holdOf } from './requests.js';
import { registerWindowEnds } from './window-ends.js';

/** 1,000 granted, 60 used by `key-1`. */
async function useSixty(ledger: Ledger): Promise<void> {
  await ledger.grant(grantOf({ amount: 1_000n }));
  await ledger.hold(holdOf({ holdId: 'used', amount: 60n }));
  await ledger.settle('used', chargeOf({ cost: 60n }));
}

/**
 * Windows: a resetting limit is checked against the usage of its current window plus all holds, in the same atomic step as the hold. The usage
 * of a key in the current day, week and month is always known.
 */
export function registerWindows(suite: LedgerSuite): void {
  suite.describe('limits that reset', () => {
    registerWindowUsage(suite);
    registerLimitsOfWindows(suite);
    registerRefusalsOfWindows(suite);
    if (suite.supports.clock === true) registerWindowEnds(suite);
  });
}

function registerWindowUsage({ test }: LedgerSuite): void {
  test('returns the usage of a key in the current day, week and month', async ({ ledger }) => {
    await assertWindows(ledger, { daily: 0n, weekly: 0n, monthly: 0n });
    await useSixty(ledger);
    await assertWindows(ledger, { daily: 60n, weekly: 60n, monthly: 60n });
    await assertWindows(ledger, { daily: 0n, weekly: 0n, monthly: 0n }, 'key-2');
  });

  test('returns the usage of a key of all time without a window', async ({ ledger }) => {
    await useSixty(ledger);
    for (const limitReset of [undefined, null]) {
      const totals = await ledger.keyTotals('key-1', limitReset);
      assert.deepEqual({ ...totals }, { usage: 60n, held: 0n, windowUsage: 60n, resetsAtMs: null });
    }
  });
}

function registerLimitsOfWindows({ test }: LedgerSuite): void {
  for (const keyLimitReset of LIMIT_RESETS) {
    const limited = { keyLimit: 100n, keyLimitReset };

    test(`holds a ${keyLimitReset} limit to the last nanodollar, not beyond`, async ({ ledger }) => {
      await useSixty(ledger);
      assert.equal((await ledger.hold(holdOf({ ...limited, amount: 41n }))).status, 'refused');
      await assertHeld(ledger, holdOf({ ...limited, amount: 40n }));
      assert.equal((await ledger.hold(holdOf({ ...limited, holdId: 'more', amount: 1n }))).status, 'refused');
      await assertHeld(ledger, holdOf({ ...limited, holdId: 'zero', amount: 0n }));
    });
  }

  test('counts every hold against every window', async ({ ledger }) => {
    await useSixty(ledger);
    const resets = [undefined, null, ...LIMIT_RESETS];
    for (const [index, keyLimitReset] of resets.entries()) {
      const request = holdOf({ holdId: `hold-${index}`, ...(keyLimitReset !== undefined && { keyLimitReset }) });
      await assertHeld(ledger, { ...request, keyLimit: 110n });
    }
    for (const keyLimitReset of resets.slice(1)) {
      const request = { holdId: 'next', keyLimit: 110n, amount: 1n, keyLimitReset: keyLimitReset ?? null };
      const { held } = (await ledger.hold(holdOf(request))) as BudgetRefused;
      assert.equal(held, 50n, `held against ${keyLimitReset}`);
    }
  });
}

function registerRefusalsOfWindows({ test }: LedgerSuite): void {
  for (const keyLimitReset of [null, ...LIMIT_RESETS]) {
    const name = keyLimitReset === null ? 'never' : keyLimitReset;

    test(`reports the use of a limit that resets ${name}, and when it does`, async ({ ledger, now }) => {
      await useSixty(ledger);
      await ledger.hold(holdOf({ holdId: 'open', amount: 30n }));
      const resetsAtMs = keyLimitReset && limitWindowAt(keyLimitReset, now()).resetsAtMs;
      for (const required of [40n, 41n]) {
        await assertNoChange(ledger, async () => {
          const result = await ledger.hold(holdOf({ keyLimit: 100n, keyLimitReset, amount: required }));
          const figures = { limit: 100n, usage: 60n, held: 30n, required, resetsAtMs };
          const refusal = { status: 'refused', by: 'key_limit', ...figures, fitsWithoutHolds: required === 40n };
          assert.deepEqual({ ...result }, refusal);
        });
      }
    });
  }
}
