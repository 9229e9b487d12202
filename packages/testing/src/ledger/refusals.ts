import assert from 'node:assert/strict';
import type { HoldRefused, HoldRequest, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange } from './observe.js';
import { adjustmentOf, grantOf, holdOf } from './requests.js';

/** 100 granted, of which 60 are used and `held` are held, all by `key-1`. */
async function setUp(ledger: Ledger, held: bigint): Promise<void> {
  await ledger.grant(grantOf({ amount: 100n }));
  await ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: 60n }));
  await assertHeld(ledger, holdOf({ amount: held }));
}

interface Case {
  readonly name: string;
  readonly held: bigint;
  readonly request: Partial<HoldRequest>;
  readonly refusal: Omit<HoldRefused, 'status'>;
}

const organization = { by: 'organization_credits', limit: 100n, usage: 60n, resetsAtMs: null } as const;
const key = { by: 'key_limit', usage: 60n, resetsAtMs: null } as const;

const CASES: readonly Case[] = [
  {
    name: 'calls a balance exhausted that is too small even without holds',
    held: 5n,
    request: { amount: 41n },
    refusal: { ...organization, held: 5n, required: 41n, fitsWithoutHolds: false },
  },
  {
    name: 'calls a balance busy that only holds make too small',
    held: 5n,
    request: { amount: 40n },
    refusal: { ...organization, held: 5n, required: 40n, fitsWithoutHolds: true },
  },
  {
    name: 'calls a limit reached that is too small even without holds',
    held: 5n,
    request: { amount: 11n, keyLimit: 70n },
    refusal: { ...key, limit: 70n, held: 5n, required: 11n, fitsWithoutHolds: false },
  },
  {
    name: 'calls a limit busy that only holds make too small',
    held: 5n,
    request: { amount: 10n, keyLimit: 70n },
    refusal: { ...key, limit: 70n, held: 5n, required: 10n, fitsWithoutHolds: true },
  },
  {
    name: 'names the limit when neither has room',
    held: 5n,
    request: { amount: 50n, keyLimit: 80n },
    refusal: { ...key, limit: 80n, held: 5n, required: 50n, fitsWithoutHolds: false },
  },
  {
    name: 'names the limit, as busy, when only holds make both too small',
    held: 38n,
    request: { amount: 5n, keyLimit: 100n },
    refusal: { ...key, limit: 100n, held: 38n, required: 5n, fitsWithoutHolds: true },
  },
  {
    name: 'is no contention when the limit is busy but the balance is exhausted',
    held: 5n,
    request: { amount: 41n, keyLimit: 101n },
    refusal: { ...key, limit: 101n, held: 5n, required: 41n, fitsWithoutHolds: false },
  },
  {
    name: 'names the balance, as busy, when the limit has room',
    held: 38n,
    request: { amount: 3n, keyLimit: 101n },
    refusal: { ...organization, held: 38n, required: 3n, fitsWithoutHolds: true },
  },
];

/**
 * Refusals: they name which budget had no room (the key's limit when both had none), with its exact figures, and tell exhaustion from
 * contention, because one is for the caller's purse and the other for a retry. They change nothing.
 */
export function registerRefusals({ describe, test }: LedgerSuite): void {
  describe('refusals', () => {
    for (const { name, held, request, refusal } of CASES) {
      test(name, async ({ ledger }) => {
        await setUp(ledger, held);
        await assertNoChange(ledger, async () => {
          const result = await ledger.hold(holdOf({ holdId: 'hold-2', ...request }));
          assert.deepEqual({ ...result }, { status: 'refused', ...refusal });
        });
      });
    }

    test('knows an organization without any credits', async ({ ledger }) => {
      const nothing = { limit: 0n, usage: 0n, held: 0n, required: 10n, resetsAtMs: null, fitsWithoutHolds: false };
      assert.deepEqual(await ledger.hold(holdOf()), { status: 'refused', by: 'organization_credits', ...nothing });
    });
  });
}
