import assert from 'node:assert/strict';
import type { BudgetRefused, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange } from './observe.js';
import { adjustmentOf, grantOf, holdOf } from './requests.js';

/** 100 granted, of which 60 are used and `held` are held, all by `key-1`. */
async function setUp(ledger: Ledger, held: bigint): Promise<void> {
  await ledger.grant(grantOf({ amount: 100n }));
  await ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: 60n }));
  await assertHeld(ledger, holdOf({ amount: held }));
}

const organization = { by: 'organization_credits', limit: 100n, usage: 60n, resetsAtMs: null } as const;
const keyOf = (limit: bigint) => ({ by: 'key_limit', limit, usage: 60n, resetsAtMs: null }) as const;

/** What is held before, the amount asked for, the budget that refuses, whether the amount would fit without holds; the key's limit. */
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
 * Refusals: they name which budget had no room (the key's limit when both had none), with its exact figures, and distinguish exhaustion from
 * contention, because one is for the caller's purse and the other for a retry. They change nothing.
 */
export function registerRefusals({ describe, test }: LedgerSuite): void {
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
