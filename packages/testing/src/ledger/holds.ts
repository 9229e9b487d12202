import assert from 'node:assert/strict';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertKey, assertNoChange, assertOrganization, untimedLog } from './observe.js';
import { chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

/**
 * Holds: money is set aside against balance and key limit, to the last nanodollar; an id is accepted only once; and an open hold is neither in
 * the log nor in usage.
 */
export function registerHolds({ funded, describe, test }: LedgerSuite): void {
  describe('holds', () => {
    funded(100n, 'sets an amount aside for the organization and the key', async ({ ledger }) => {
      await assertHeld(ledger, holdOf());
      await assertHeld(ledger, holdOf({ holdId: 'hold-2', keyId: 'key-2', amount: 5n }));
      await assertOrganization(ledger, { credits: 100n, held: 15n });
      await assertKey(ledger, { held: 10n });
      await assertKey(ledger, { held: 5n }, 'key-2');
      assert.equal((await untimedLog(ledger)).length, 1);
    });

    funded(100n, 'holds the balance to the last nanodollar, not beyond', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ amount: 100n }));
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 1n }))).status, 'refused');
      await assertHeld(ledger, holdOf({ holdId: 'hold-3', amount: 0n }));
      await assertOrganization(ledger, { credits: 100n, held: 100n });
    });

    funded(100n, 'holds a limit to the last nanodollar, not beyond', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ keyLimit: 10n }));
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', keyLimit: 10n, amount: 1n }))).status, 'refused');
      await assertHeld(ledger, holdOf({ holdId: 'hold-3', keyLimit: 11n, amount: 1n }));
      await assertKey(ledger, { held: 11n });
    });

    test('holds zero for an organization without credits', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ amount: 0n, keyLimit: 0n }));
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 1n }))).status, 'refused');
    });

    funded(10n, 'refuses even a hold of zero on an overdrawn budget', async ({ ledger }) => {
      await ledger.hold(holdOf());
      await ledger.settle('hold-1', chargeOf({ cost: 11n }));
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 0n }))).status, 'refused');
    });

    funded(50n, 'holds the largest of several amounts that fits the balance', async ({ ledger }) => {
      const several = { amount: 90n, acceptableAmounts: [51n, 50n, 1n] };
      await assertHeld(ledger, holdOf(several), 50n);
      await assertOrganization(ledger, { credits: 50n, held: 50n });
      await assertKey(ledger, { held: 50n });
      await ledger.settle('hold-1', chargeOf({ cost: 7n }));
      await assertHeld(ledger, holdOf({ ...several, holdId: 'hold-2' }), 1n);
      await ledger.release('hold-2', RELEASE);
      await assertOrganization(ledger, { credits: 50n, usage: 7n });
    });

    funded(100n, 'holds the largest of several amounts that fits the limit', async ({ ledger }) => {
      const several = { keyLimit: 20n, amount: 90n, acceptableAmounts: [30n, 15n, 5n] };
      await assertHeld(ledger, holdOf(several), 15n);
      await assertHeld(ledger, holdOf({ ...several, holdId: 'hold-2' }), 5n);
      await assertKey(ledger, { held: 20n });
    });

    funded(100n, 'holds the first amount if it fits', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ amount: 90n, acceptableAmounts: [5n, 0n] }), 90n);
    });

    funded(100n, 'refuses several amounts by the smallest', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ amount: 95n }));
      const several = { holdId: 'hold-2', amount: 300n, acceptableAmounts: [200n, 6n] };
      const figures = { limit: 100n, usage: 0n, held: 95n, required: 6n, resetsAtMs: null };
      const refused = { status: 'refused', by: 'organization_credits', ...figures, fitsWithoutHolds: true };
      assert.deepEqual({ ...(await ledger.hold(holdOf(several))) }, refused);
      const exhausted = await ledger.hold(holdOf({ ...several, acceptableAmounts: [200n, 101n] }));
      assert.deepEqual({ ...exhausted }, { ...refused, required: 101n, fitsWithoutHolds: false });
    });

    funded(
      100n,
      'holds the balance to the last nanodollar in races of holds with several amounts',
      async ({ ledger }) => {
        const request = (index: number) =>
          holdOf({ holdId: `hold-${index}`, amount: 30n, acceptableAmounts: [20n, 10n] });
        const results = await Promise.all(Array.from({ length: 20 }, (_, index) => ledger.hold(request(index))));
        const amounts = results.map((result) => (result.status === 'held' ? result.amount : 0n));
        assert.equal(
          amounts.reduce((sum, amount) => sum + amount, 0n),
          100n,
        );
        await assertOrganization(ledger, { credits: 100n, held: 100n });
      },
    );

    funded(5n, 'holds beyond the credits where the operator pays, and counts the usage', async ({ ledger }) => {
      await assertHeld(ledger, holdOf({ operatorPays: true, acceptableAmounts: [1n] }), 10n);
      await ledger.settle('hold-1', chargeOf({ cost: 7n }));
      await assertOrganization(ledger, { credits: 5n, usage: 7n });
      await assertHeld(ledger, holdOf({ holdId: 'hold-2', operatorPays: true }));
      const refused = await ledger.hold(holdOf({ holdId: 'hold-3', amount: 0n }));
      assert.deepEqual([refused.status, 'by' in refused && refused.by], ['refused', 'organization_credits']);
    });

    test('keeps the limit of a key where the operator pays', async ({ ledger }) => {
      const paid = { operatorPays: true, keyLimit: 20n };
      await assertHeld(ledger, holdOf({ ...paid, amount: 90n, acceptableAmounts: [15n, 1n] }), 15n);
      const refused = await ledger.hold(holdOf({ ...paid, holdId: 'hold-2' }));
      const figures = { limit: 20n, usage: 0n, held: 15n, required: 10n, resetsAtMs: null };
      assert.deepEqual({ ...refused }, { status: 'refused', by: 'key_limit', ...figures, fitsWithoutHolds: true });
      await ledger.settle('hold-1', chargeOf({ cost: 15n }));
      const spent = await ledger.hold(holdOf({ ...paid, holdId: 'hold-2' }));
      assert.deepEqual({ ...spent }, { ...refused, usage: 15n, held: 0n, fitsWithoutHolds: false });
      await assertOrganization(ledger, { usage: 15n });
    });

    funded(100n, 'accepts an id once, whether its hold is open or ended', async ({ ledger }) => {
      const again = () => assertNoChange(ledger, () => assertRefused('duplicate_hold', () => ledger.hold(holdOf())));
      await ledger.hold(holdOf());
      await again();
      await ledger.settle('hold-1', chargeOf());
      await again();
      await ledger.hold(holdOf({ holdId: 'hold-2' }));
      await ledger.release('hold-2', RELEASE);
      await assertRefused('duplicate_hold', () => ledger.hold(holdOf({ holdId: 'hold-2' })));
    });

    funded(1_000n, 'accepts an id once when it is sent 20 times at once', async ({ ledger }) => {
      const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => ledger.hold(holdOf())));
      assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
      await assertOrganization(ledger, { credits: 1_000n, held: 10n });
    });

    test('leaves the id of a refused hold free', async ({ ledger }) => {
      assert.equal((await ledger.hold(holdOf())).status, 'refused');
      await assertRefused('unknown_hold', () => ledger.settle('hold-1', chargeOf()));
      await assertRefused('unknown_hold', () => ledger.release('hold-1', RELEASE));
      await ledger.grant(grantOf());
      await assertHeld(ledger, holdOf());
    });
  });
}
