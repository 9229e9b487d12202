import assert from 'node:assert/strict';
import type { LedgerSuite } from './ledger-suite.js';
import { assertKey, assertNoChange, assertOrganization, assertRefused, untimedLog } from './observe.js';
import { chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

/**
 * Holds: money is set aside against the balance AND the key's limit, to the last nanodollar; an id is accepted once, ever; and a
 * hold alone is in no log and no usage.
 */
export function registerHolds({ describe, test }: LedgerSuite): void {
  describe('holds', () => {
    test('sets an amount aside for the organization and the key', async ({ ledger }) => {
      await ledger.grant(grantOf());
      assert.deepEqual(await ledger.hold(holdOf()), { status: 'held' });
      assert.deepEqual(await ledger.hold(holdOf({ holdId: 'hold-2', keyId: 'key-2', amount: 5n })), { status: 'held' });
      await assertOrganization(ledger, { credits: 100n, held: 15n });
      await assertKey(ledger, { held: 10n });
      await assertKey(ledger, { held: 5n }, 'key-2');
      assert.equal((await untimedLog(ledger)).length, 1);
    });

    test('gives out the balance to the last nanodollar and not one more', async ({ ledger }) => {
      await ledger.grant(grantOf());
      assert.deepEqual(await ledger.hold(holdOf({ amount: 100n })), { status: 'held' });
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 1n }))).status, 'refused');
      assert.deepEqual(await ledger.hold(holdOf({ holdId: 'hold-3', amount: 0n })), { status: 'held' });
      await assertOrganization(ledger, { credits: 100n, held: 100n });
    });

    test('gives out a limit to the last nanodollar and not one more', async ({ ledger }) => {
      await ledger.grant(grantOf());
      assert.deepEqual(await ledger.hold(holdOf({ keyLimit: 10n })), { status: 'held' });
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', keyLimit: 10n, amount: 1n }))).status, 'refused');
      assert.deepEqual(await ledger.hold(holdOf({ holdId: 'hold-3', keyLimit: 11n, amount: 1n })), { status: 'held' });
      await assertKey(ledger, { held: 11n });
    });

    test('holds zero for an organization without credits', async ({ ledger }) => {
      assert.deepEqual(await ledger.hold(holdOf({ amount: 0n, keyLimit: 0n })), { status: 'held' });
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 1n }))).status, 'refused');
    });

    test('holds not even zero beyond a budget that is overdrawn', async ({ ledger }) => {
      await ledger.grant(grantOf({ amount: 10n }));
      await ledger.hold(holdOf());
      await ledger.settle('hold-1', chargeOf({ cost: 11n }));
      assert.equal((await ledger.hold(holdOf({ holdId: 'hold-2', amount: 0n }))).status, 'refused');
    });

    test('accepts an id once, whether its hold is open or ended', async ({ ledger }) => {
      await ledger.grant(grantOf());
      const again = () => assertNoChange(ledger, () => assertRefused('duplicate_hold', () => ledger.hold(holdOf())));
      await ledger.hold(holdOf());
      await again();
      await ledger.settle('hold-1', chargeOf());
      await again();
      await ledger.hold(holdOf({ holdId: 'hold-2' }));
      await ledger.release('hold-2', RELEASE);
      await assertRefused('duplicate_hold', () => ledger.hold(holdOf({ holdId: 'hold-2' })));
    });

    test('accepts an id once when it is sent 20 times at once', async ({ ledger }) => {
      await ledger.grant(grantOf({ amount: 1_000n }));
      const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => ledger.hold(holdOf())));
      assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
      await assertOrganization(ledger, { credits: 1_000n, held: 10n });
    });

    test('leaves the id of a refused hold free', async ({ ledger }) => {
      assert.equal((await ledger.hold(holdOf())).status, 'refused');
      await assertRefused('unknown_hold', () => ledger.settle('hold-1', chargeOf()));
      await assertRefused('unknown_hold', () => ledger.release('hold-1', RELEASE));
      await ledger.grant(grantOf());
      assert.deepEqual(await ledger.hold(holdOf()), { status: 'held' });
    });
  });
}
