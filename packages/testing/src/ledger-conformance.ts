import assert from 'node:assert/strict';
import type { BudgetRefused, Ledger } from '@searchgate/core/ledger';
import { assertRefused } from './assert-refused.js';
import { registerBadArguments } from './ledger/bad-arguments.js';
import { registerBounds } from './ledger/bounds.js';
import { registerBudgets } from './ledger/budgets.js';
import { registerContention } from './ledger/contention.js';
import { registerDurability } from './ledger/durability.js';
import { registerEndings } from './ledger/endings.js';
import { registerEveryHistory } from './ledger/every-history.js';
import { registerExpiry } from './ledger/expiry.js';
import { registerGrants } from './ledger/grants.js';
import { registerHoldRecords } from './ledger/hold-records.js';
import { registerHolds } from './ledger/holds.js';
import { createLedgerSuite, type LedgerConformanceOptions, type LedgerSuite } from './ledger/ledger-suite.js';
import { registerLog } from './ledger/log.js';
import { assertHeld, assertNoChange } from './ledger/observe.js';
import { registerRandomHistories } from './ledger/random-histories.js';
import { registerRandomRaces } from './ledger/random-races.js';
import { registerRates } from './ledger/rates.js';
import { registerRemoval } from './ledger/removal.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE } from './ledger/requests.js';
import { registerSlots } from './ledger/slots.js';
import { registerTags } from './ledger/tags.js';
import { registerUsage } from './ledger/usage.js';
import { registerWindows } from './ledger/windows.js';

/** 100 granted, 60 used and `held` held, all by `key-1`. */
async function setUp(ledger: Ledger, held: bigint): Promise<void> {
  await ledger.grant(grantOf({ amount: 100n }));
  await ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: 60n }));
  await assertHeld(ledger, holdOf({ amount: held }));
}

const organization = { by: 'organization_credits', limit: 100n, usage: 60n, resetsAtMs: null } as const;
const keyOf = (limit: bigint) => ({ by: 'key_limit', limit, usage: 60n, resetsAtMs: null }) as const;

/** Amount already held, amount asked for, the refusing budget, whether the amount would fit without holds; the key's limit. */
type Case = readonly [held: bigint, amount: bigint, budget: Budget, fitsWithoutHolds: boolean, keyLimit?: bigint];
type Budget = Pick<BudgetRefused, 'by' | 'limit' | 'usage' | 'resetsAtMs'>;

const CASES: Readonly<Record<string, Case>> = {
  'calls a balance exhausted that is too small even without holds': [5n, 41n, organization, false],
  'calls a balance busy that only holds make too small': [5n, 40n, organization, true],
  'calls a limit reached that is too small even without holds': [5n, 11n, keyOf(70n), false, 70n],
  'calls a limit busy that only holds make too small': [5n, 10n, keyOf(70n), true, 70n],
  'names the limit when neither has room': [5n, 50n, keyOf(80n), false, 80n],
  'names the limit, as busy, when only holds make both too small': [38n, 5n, keyOf(100n), true, 100n],
  'is no contention when the limit is busy but the balance is exhausted': [5n, 41n, keyOf(101n), false, 101n],
  'names the balance, as busy, when the limit has room': [38n, 3n, organization, true, 101n],
};

/**
 * Refusals name the budget without room (the key's limit if neither has room) with exact figures. They distinguish exhaustion, which needs more
 * money, from contention, which needs a retry. They change nothing.
 */
function registerRefusals({ describe, test }: LedgerSuite): void {
  describe('refusals', () => {
    for (const [name, [held, required, budget, fitsWithoutHolds, keyLimit = null]] of Object.entries(CASES)) {
      test(name, async ({ ledger }) => {
        await setUp(ledger, held);
        await assertNoChange(ledger, async () => {
          const result = await ledger.hold(holdOf({ holdId: 'hold-2', amount: required, keyLimit }));
          assert.deepEqual({ ...result }, { status: 'refused', ...budget, held, required, fitsWithoutHolds });
        });
      });
    }

    test('knows an organization without any credits', async ({ ledger }) => {
      const nothing = { limit: 0n, usage: 0n, held: 0n, required: 10n, resetsAtMs: null, fitsWithoutHolds: false };
      assert.deepEqual(await ledger.hold(holdOf()), { status: 'refused', by: 'organization_credits', ...nothing });
    });
  });
}

const OPERATIONS: Record<string, (ledger: Ledger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant(grantOf({ grantId: 'grant-2' })),
  adjust: (ledger) => ledger.adjust(adjustmentOf()),
  hold: (ledger) => ledger.hold(holdOf({ holdId: 'hold-2' })),
  admit: (ledger) => ledger.admit(holdOf()),
  ratesUsed: (ledger) => ledger.ratesUsed(holdOf()),
  settle: (ledger) => ledger.settle('hold-1', chargeOf()),
  release: (ledger) => ledger.release('hold-1', RELEASE),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  budgetTotals: (ledger) => ledger.budgetTotals('acme', []),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  entries: (ledger) => ledger.entries(),
};

/** Close: afterwards every operation fails with one stable code and does not hang, and closing again is harmless. */
function registerClosing({ describe, test }: LedgerSuite): void {
  describe('close', () => {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      test(`refuses ${name} afterwards`, async ({ ledger }) => {
        await ledger.grant(grantOf());
        await ledger.hold(holdOf());
        await ledger.close();
        await assertRefused('ledger_closed', () => operation(ledger));
      });
    }

    test('is harmless twice, one after the other and at once', async ({ ledger }) => {
      await Promise.all([ledger.close(), ledger.close()]);
      await ledger.close();
    });
  });
}

/**
 * The contract of `Ledger` as tests. Each part states what it proves; together they cover every invariant in the documentation of the port. A ledger
 * needs only `create`, since the suite has all assertions and times:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * ledgerConformance({ describe, it, create: createMyLedger, supports: { connections: true } });
 * ```
 *
 * Tests are independent of each other and may run concurrently. For an engine that exceeds the runner's time limit per test, pass an `it` with
 * a longer limit, and fewer `randomRuns`.
 */
export function ledgerConformance(options: LedgerConformanceOptions): void {
  const suite = createLedgerSuite(options);
  suite.describe('ledger contract', () => {
    registerGrants(suite);
    registerHolds(suite);
    registerRefusals(suite);
    registerContention(suite);
    registerSlots(suite);
    registerRates(suite);
    registerWindows(suite);
    registerEndings(suite);
    registerExpiry(suite);
    registerBounds(suite);
    registerHoldRecords(suite);
    registerTags(suite);
    registerBudgets(suite);
    registerUsage(suite);
    registerLog(suite);
    registerBadArguments(suite);
    registerClosing(suite);
    registerDurability(suite);
    registerRemoval(suite);
    registerEveryHistory(suite);
    registerRandomHistories(suite);
    registerRandomRaces(suite);
  });
}
