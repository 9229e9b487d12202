import assert from 'node:assert/strict';
import { type BudgetRefused, type Ledger, LIMIT_RESETS, type LimitReset, limitWindowAt } from '@searchgate/core/ledger';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { assertHeld, assertKey, assertWindows } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_DAYS_TO_A_PLAIN_MIDNIGHT = 4;
/** Long enough to include the end of a month and four ends of weeks, from any day. */
const DAYS_OF_A_WALK = 32;

/** Advances the clock to a moment that has not passed. */
async function goTo({ now, advance }: LedgerUnderTest, momentMs: number): Promise<void> {
  assert.ok(advance !== undefined, 'a ledger that supports a clock brings advance()');
  await advance(momentMs - now());
}

/** Moves the clock to the last millisecond of the current window. */
async function goToLastMoment(under: LedgerUnderTest, reset: LimitReset): Promise<void> {
  await goTo(under, limitWindowAt(reset, under.now()).resetsAtMs - 1);
}

async function goToNextWindow(under: LedgerUnderTest, reset: LimitReset): Promise<void> {
  await goTo(under, limitWindowAt(reset, under.now()).resetsAtMs);
}

/** Moves the clock to the last millisecond of a day that ends neither a week nor a month. */
async function goBeforePlainMidnight(under: LedgerUnderTest): Promise<void> {
  for (let days = 0; days < MOST_DAYS_TO_A_PLAIN_MIDNIGHT; days += 1) {
    await goToLastMoment(under, 'daily');
    const midnightMs = under.now() + 1;
    const ends = (reset: LimitReset) => limitWindowAt(reset, under.now()).resetsAtMs === midnightMs;
    if (!ends('weekly') && !ends('monthly')) return;
    await goTo(under, midnightMs);
  }
  assert.fail('no midnight within a week and a month');
}

async function use(ledger: Ledger, holdId: string, cost: bigint): Promise<void> {
  await assertHeld(ledger, holdOf({ holdId, amount: cost }));
  await ledger.settle(holdId, chargeOf({ cost }));
}

/** The part of {@link registerWindows} in which windows end, so the test must move the ledger's clock. */
export function registerWindowEnds(suite: LedgerSuite): void {
  registerResets(suite);
  registerWalk(suite);
  registerEndingsAcrossWindows(suite);
  registerChangesOfReset(suite);
}

function registerResets({ funded, testWith }: LedgerSuite): void {
  for (const keyLimitReset of LIMIT_RESETS) {
    funded(
      1_000n,
      `starts a ${keyLimitReset} limit over in the very millisecond its window ends`,
      async (under, ledger) => {
        await goToLastMoment(under, keyLimitReset);
        await use(ledger, 'before', 10n);
        const limited = { keyLimit: 10n, keyLimitReset };
        assert.equal((await ledger.hold(holdOf({ ...limited, holdId: 'too-early' }))).status, 'refused');
        await goTo(under, under.now() + 1);
        assert.equal((await ledger.keyTotals('key-1', keyLimitReset)).windowUsage, 0n);
        await assertHeld(ledger, holdOf({ ...limited, holdId: 'after' }));
        await ledger.settle('after', chargeOf({ cost: 10n }));
        const totals = await ledger.keyTotals('key-1', keyLimitReset);
        const { resetsAtMs } = limitWindowAt(keyLimitReset, under.now());
        assert.deepEqual({ ...totals }, { usage: 20n, held: 0n, windowUsage: 10n, resetsAtMs });
        assert.equal((await ledger.hold(holdOf({ ...limited, holdId: 'too-much' }))).status, 'refused');
      },
    );
  }

  for (const keyLimitReset of LIMIT_RESETS) {
    testWith(
      'setBack',
      `keeps a ${keyLimitReset} limit in its latest window if the clock is set back`,
      async (under) => {
        const { ledger, now, setBack } = under;
        await ledger.grant(grantOf({ amount: 1_000n }));
        await goToNextWindow(under, keyLimitReset);
        await use(ledger, 'ahead', 10n);
        const { resetsAtMs } = limitWindowAt(keyLimitReset, now());
        setBack(HOUR_MS);
        const refused = (await ledger.hold(holdOf({ keyLimit: 10n, keyLimitReset }))) as BudgetRefused;
        assert.deepEqual([refused.status, refused.usage, refused.resetsAtMs], ['refused', 10n, resetsAtMs]);
        const totals = await ledger.keyTotals('key-1', keyLimitReset);
        assert.deepEqual({ ...totals }, { usage: 10n, held: 0n, windowUsage: 10n, resetsAtMs });
      },
    );
  }

  funded(1_000n, 'never starts a limit over that does not reset', async (under, ledger) => {
    await use(ledger, 'before', 10n);
    await goToNextWindow(under, 'monthly');
    await goToNextWindow(under, 'weekly');
    const { status, usage } = (await ledger.hold(holdOf({ keyLimit: 19n, keyLimitReset: null }))) as BudgetRefused;
    assert.deepEqual([status, usage], ['refused', 10n]);
  });

  funded(1_000n, 'has no usage in windows without a charge', async (under, ledger) => {
    await use(ledger, 'before', 10n);
    await goToNextWindow(under, 'monthly');
    await goToNextWindow(under, 'monthly');
    await assertWindows(ledger, { daily: 0n, weekly: 0n, monthly: 0n });
    await use(ledger, 'after', 7n);
    await assertWindows(ledger, { daily: 7n, weekly: 7n, monthly: 7n });
    await assertKey(ledger, { usage: 17n });
  });
}

function registerWalk({ funded }: LedgerSuite): void {
  funded(1_000n, 'counts a charge a day in the right days, weeks and months of the calendar', async (under) => {
    const { ledger, now } = under;
    const charged: { readonly cost: bigint; readonly atMs: number }[] = [];
    const usageIn = (reset: LimitReset) => {
      const { startsAtMs } = limitWindowAt(reset, now());
      return charged.filter(({ atMs }) => atMs >= startsAtMs).reduce((sum, { cost }) => sum + cost, 0n);
    };
    const assertCalendar = () =>
      assertWindows(ledger, { daily: usageIn('daily'), weekly: usageIn('weekly'), monthly: usageIn('monthly') });
    await goToLastMoment(under, 'daily');
    for (let day = 1; day <= DAYS_OF_A_WALK; day += 1) {
      await use(ledger, `day-${day}`, BigInt(day));
      charged.push({ cost: BigInt(day), atMs: now() });
      await assertCalendar();
      // Alternately the last moment of a day and the first of the next day.
      await goTo(under, now() + (day % 2 === 1 ? 1 : 2 * DAY_MS - 1));
      await assertCalendar();
    }
  });
}

function registerEndingsAcrossWindows({ funded, test, supports }: LedgerSuite): void {
  funded(100n, 'counts a charge in the window of its settle, not of its hold', async (under, ledger) => {
    await goToLastMoment(under, 'daily');
    const limited = { keyLimit: 10n, keyLimitReset: 'daily' as const };
    await ledger.hold(holdOf(limited));
    await goTo(under, under.now() + 1);
    const refused = (await ledger.hold(holdOf({ ...limited, holdId: 'hold-2', amount: 1n }))) as BudgetRefused;
    assert.deepEqual([refused.usage, refused.held, refused.fitsWithoutHolds], [0n, 10n, true], 'still held');
    await ledger.settle('hold-1', chargeOf());
    const totals = await ledger.keyTotals('key-1', 'daily');
    const { resetsAtMs } = limitWindowAt('daily', under.now());
    assert.deepEqual({ ...totals }, { usage: 7n, held: 0n, windowUsage: 7n, resetsAtMs });
  });

  funded(100n, 'counts a settle that is repeated in a later window in no window again', async (under, ledger) => {
    await use(ledger, 'hold-1', 7n);
    await goToNextWindow(under, 'daily');
    assert.deepEqual(await ledger.settle('hold-1', chargeOf()), { status: 'settled', cost: 7n, first: false });
    assert.equal((await ledger.keyTotals('key-1', 'daily')).windowUsage, 0n);
  });

  funded(100n, 'counts a late settle in the window in which it arrives', async (under) => {
    const { ledger, now } = under;
    await goToLastMoment(under, 'daily');
    await ledger.hold(holdOf({ holdId: 'late', expiresAtMs: now() }));
    assert.equal(await ledger.expireHolds(now()), 1);
    await goToNextWindow(under, 'daily');
    await ledger.settle('late', chargeOf());
    assert.equal((await ledger.keyTotals('key-1', 'daily')).windowUsage, 7n);
  });

  funded(1_000n, 'counts a correction in the window it is made in, even below zero', async (under, ledger) => {
    await goBeforePlainMidnight(under);
    await use(ledger, 'hold-1', 60n);
    await goTo(under, under.now() + 1);
    await ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: -10n }));
    await assertWindows(ledger, { daily: -10n, weekly: 50n, monthly: 50n });
    const limited = { keyLimit: 100n, keyLimitReset: 'daily' as const };
    assert.equal((await ledger.hold(holdOf({ ...limited, holdId: 'more', amount: 111n }))).status, 'refused');
    await assertHeld(ledger, holdOf({ ...limited, holdId: 'fits', amount: 110n }));
  });

  test('counts 100 charges at once just after every window has ended', async (under) => {
    const { ledger, connect } = under;
    const others = supports.connections === true && connect !== undefined ? [await connect()] : [];
    const handles = [ledger, ...others];
    const ids = Array.from({ length: 100 }, (_, index) => `hold-${index}`);
    await ledger.grant(grantOf({ amount: 10_000n }));
    await use(ledger, 'before', 60n);
    for (const holdId of ids) await ledger.hold(holdOf({ holdId }));
    await goToNextWindow(under, 'monthly');
    await goToNextWindow(under, 'weekly');
    await Promise.all(
      ids.map((holdId, index) => (handles[index % handles.length] ?? ledger).settle(holdId, chargeOf())),
    );
    await assertWindows(ledger, { daily: 700n, weekly: 700n, monthly: 700n });
  });
}

function registerChangesOfReset({ funded }: LedgerSuite): void {
  funded(
    1_000n,
    'knows the usage of day, week and month at once when the reset of a key changes',
    async (under, ledger) => {
      await goBeforePlainMidnight(under);
      const limited = { keyLimit: 100n, amount: 71n };
      await use(ledger, 'yesterday', 60n);
      await goTo(under, under.now() + 1);
      await ledger.hold(holdOf({ holdId: 'today', amount: 30n, keyLimitReset: 'daily' }));
      await ledger.settle('today', chargeOf({ cost: 30n }));
      await assertWindows(ledger, { daily: 30n, weekly: 90n, monthly: 90n });
      for (const [keyLimitReset, usage] of [
        ['daily', 30n],
        ['monthly', 90n],
        [null, 90n],
        ['weekly', 90n],
        ['daily', 30n],
      ] as const) {
        const refused = (await ledger.hold(holdOf({ ...limited, keyLimitReset }))) as BudgetRefused;
        assert.deepEqual([refused.status, refused.usage], ['refused', usage], `${keyLimitReset}`);
        const resetsAtMs = keyLimitReset && limitWindowAt(keyLimitReset, under.now()).resetsAtMs;
        assert.equal(refused.resetsAtMs, resetsAtMs);
      }
      await assertHeld(ledger, holdOf({ keyLimit: 100n, amount: 70n, keyLimitReset: 'daily' }));
    },
  );
}
