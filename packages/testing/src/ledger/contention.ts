import assert from 'node:assert/strict';
import type { HoldRequest, HoldResult, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertKey, assertOrganization } from './observe.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

const CALLERS = 200;
const ROOM = 10;
const callers = Array.from({ length: CALLERS }, (_, index) => index);

/** Sends 200 holds of 10 at once, through the given handles in turn, and asserts that exactly 10 are accepted. */
export async function assertTenHeld(
  handles: readonly [Ledger, ...Ledger[]],
  refusedBy: 'key_limit' | 'organization_credits',
  changes: (index: number) => Partial<HoldRequest>,
): Promise<void> {
  const results = await Promise.all(
    callers.map((index): Promise<HoldResult> => {
      const handle = handles[index % handles.length] ?? handles[0];
      return handle.hold(holdOf({ holdId: `hold-${index}`, ...changes(index) }));
    }),
  );
  const refused = results.filter((result) => result.status === 'refused');
  assert.equal(results.length - refused.length, ROOM, 'exactly as many holds as there is room for');
  for (const { by, ...refusal } of refused) {
    assert.equal(by, refusedBy);
    assert.equal('fitsWithoutHolds' in refusal && refusal.fitsWithoutHolds, true, 'worth trying again');
  }
}

/**
 * Contention: checking and holding is one atomic step. 200 parallel holds against room for 10 yield exactly 10: with 11 money would be spent
 * that does not exist, with 9 money would stay unused. Through one handle and through several.
 */
export function registerContention({ funded, describe, testWith }: LedgerSuite): void {
  describe('200 holds at once against room for 10', () => {
    funded(100n, 'holds exactly 10 against the balance', async ({ ledger }) => {
      await assertTenHeld([ledger], 'organization_credits', () => ({}));
      await assertOrganization(ledger, { credits: 100n, held: 100n });
    });

    funded(109n, 'holds exactly 10 against the balance for 20 keys', async ({ ledger }) => {
      const changes = (index: number) => ({ keyId: `key-${index % 20}`, keyLimit: 100n });
      await assertTenHeld([ledger], 'organization_credits', changes);
      await assertOrganization(ledger, { credits: 109n, held: 100n });
    });

    funded(10_000n, 'holds exactly 10 against the limit of a key', async ({ ledger }) => {
      await assertTenHeld([ledger], 'key_limit', () => ({ keyLimit: 100n }));
      await assertOrganization(ledger, { credits: 10_000n, held: 100n });
      await assertKey(ledger, { held: 100n });
    });

    funded(10_000n, 'charges 200 calls exactly when each holds, settles and makes room', async ({ ledger }) => {
      const endings = callers.map(async (index) => {
        const holdId = `hold-${index}`;
        await ledger.hold(holdOf({ holdId }));
        return index % 4 === 0 ? ledger.release(holdId, { reason: 'failed' }) : ledger.settle(holdId, chargeOf());
      });
      const charged = (await Promise.all(endings)).reduce((sum, { cost }) => sum + cost, 0n);
      assert.equal(charged, 7n * 150n);
      await assertOrganization(ledger, { credits: 10_000n, usage: charged });
      await assertKey(ledger, { usage: charged });
    });

    testWith(
      'connect',
      'holds exactly 10 through four handles, against balance and limit',
      async ({ ledger, connect }) => {
        const others = await Promise.all([connect(), connect(), connect()]);
        await ledger.grant(grantOf({ amount: 100n }));
        await assertTenHeld([ledger, ...others], 'organization_credits', () => ({}));
        await ledger.grant(grantOf({ grantId: 'grant-2', amount: 10_000n }));
        const changes = (index: number) => ({ holdId: `other-${index}`, keyId: 'key-2', keyLimit: 100n });
        await assertTenHeld([ledger, ...others], 'key_limit', changes);
        for (const handle of [ledger, ...others]) await assertOrganization(handle, { credits: 10_100n, held: 200n });
      },
    );
  });
}
