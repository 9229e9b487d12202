import assert from 'node:assert/strict';
import { MAX_NANO_USD } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertKey, assertNoChange, assertOrganization, untimedLog } from './observe.js';
import { adjustmentOf, grantOf, holdOf } from './requests.js';

/**
 * Grants and adjustments: amounts are exact, each id counts once however often and however concurrently it is sent (payment webhooks repeat),
 * and an adjustment changes a key only if it names the key.
 */
export function registerGrants({ funded, describe, test }: LedgerSuite): void {
  describe('grants and adjustments', () => {
    test('knows nothing of an organization or key never seen', async ({ ledger }) => {
      await assertOrganization(ledger, {});
      await assertKey(ledger, {});
      assert.deepEqual(await ledger.entries(), { entries: [], nextCursor: null });
    });

    test('adds a grant once, also when the note differs', async ({ ledger }) => {
      assert.deepEqual(await ledger.grant(grantOf()), { applied: true });
      await assertNoChange(ledger, async () => {
        assert.deepEqual(await ledger.grant(grantOf()), { applied: false });
        assert.deepEqual(await ledger.grant(grantOf({ note: 'again' })), { applied: false });
      });
      await assertOrganization(ledger, { credits: 100n });
    });

    test('keeps accounts of any name, even names of Object.prototype', async ({ ledger }) => {
      const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
      for (const name of names) {
        await ledger.grant(grantOf({ grantId: name, organizationId: name }));
        await ledger.hold(holdOf({ holdId: name, organizationId: name, keyId: `key-${name}` }));
        await ledger.hold(holdOf({ holdId: `of-${name}`, organizationId: name, keyId: name, tag: name }));
      }
      for (const name of names) {
        await assertOrganization(ledger, { credits: 100n, held: 20n }, name);
        await assertKey(ledger, { held: 10n }, name);
      }
      await assertOrganization(ledger, {});
    });

    funded(100n, 'refuses the id of a grant for another amount', async ({ ledger }) => {
      await assertNoChange(ledger, () =>
        assertRefused('duplicate_grant', () => ledger.grant(grantOf({ amount: 999n }))),
      );
    });

    test('lets each organization use the same ids', async ({ ledger }) => {
      const organizations = [{ organizationId: 'acme' }, { organizationId: 'globex', amount: 7n }];
      for (const applied of [true, false]) {
        for (const of of organizations) {
          assert.deepEqual(await ledger.grant(grantOf(of)), { applied });
          assert.deepEqual(await ledger.adjust(adjustmentOf(of)), { applied });
        }
      }
      await assertOrganization(ledger, { credits: 100n, usage: 5n });
      await assertOrganization(ledger, { credits: 7n, usage: 7n }, 'globex');
      await assertRefused('duplicate_grant', () => ledger.grant(grantOf({ organizationId: 'globex' })));
      await assertRefused('duplicate_adjustment', () => ledger.adjust(adjustmentOf({ organizationId: 'globex' })));
    });

    test('refuses the id of an adjustment for another amount or key', async ({ ledger }) => {
      const first = adjustmentOf({ keyId: 'key-1' });
      await ledger.adjust(first);
      await assertNoChange(ledger, async () => {
        const { keyId: _, ...withoutKey } = first;
        const changes = [{ amount: -5n }, { keyId: 'key-2' }];
        for (const changed of [withoutKey, ...changes.map((change) => ({ ...first, ...change }))]) {
          await assertRefused('duplicate_adjustment', () => ledger.adjust(changed));
        }
        assert.deepEqual(await ledger.adjust({ ...first, note: 'again' }), { applied: false });
      });
      await assertKey(ledger, {}, 'key-2');
    });

    test('refuses one of two different parallel grants with the same id', async ({ ledger }) => {
      const amounts = [100n, 200n, 100n, 200n];
      const answers = await Promise.allSettled(amounts.map((amount) => ledger.grant(grantOf({ amount }))));
      const { credits } = await ledger.organizationTotals('acme');
      for (const [index, answer] of answers.entries()) {
        assert.equal(answer.status, amounts[index] === credits ? 'fulfilled' : 'rejected');
      }
    });

    test('adds a grant once when it is sent 20 times at once', async ({ ledger }) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ledger.grant(grantOf())));
      assert.equal(answers.filter(({ applied }) => applied).length, 1);
      await assertOrganization(ledger, { credits: 100n });
    });

    test('takes amounts of zero and of 2^62', async ({ ledger }) => {
      assert.deepEqual(await ledger.grant(grantOf({ grantId: 'none', amount: 0n })), { applied: true });
      assert.deepEqual(await ledger.grant(grantOf({ grantId: 'most', amount: MAX_NANO_USD })), { applied: true });
      await assertOrganization(ledger, { credits: MAX_NANO_USD });
    });

    test('adjusts usage up and down, below zero too', async ({ ledger }) => {
      await ledger.adjust(adjustmentOf({ amount: 5n }));
      await ledger.adjust(adjustmentOf({ adjustmentId: 'adjustment-2', amount: -8n }));
      await assertOrganization(ledger, { usage: -3n });
      await assertKey(ledger, {});
    });

    test('adjusts the key too when it is named', async ({ ledger }) => {
      await ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: -5n }));
      await assertOrganization(ledger, { usage: -5n });
      await assertKey(ledger, { usage: -5n });
    });

    test('applies an adjustment once', async ({ ledger }) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ledger.adjust(adjustmentOf())));
      assert.equal(answers.filter(({ applied }) => applied).length, 1);
      await assertOrganization(ledger, { usage: 5n });
    });

    test('writes grants and adjustments to the log, with exact notes', async ({ ledger }) => {
      const note = 'Zürich: 20% "bonus"; it\'s\n\t{net} 💶 \\ --';
      await ledger.grant(grantOf({ note }));
      await ledger.adjust(adjustmentOf({ note: '' }));
      await ledger.adjust(adjustmentOf({ adjustmentId: 'adjustment-2', keyId: 'key-1', amount: -4n }));
      const acme = { organizationId: 'acme' };
      assert.deepEqual(await untimedLog(ledger), [
        { kind: 'grant', id: 'grant-1', ...acme, keyId: null, amount: 100n, note },
        { kind: 'adjustment', id: 'adjustment-1', ...acme, keyId: null, amount: 5n, note: '' },
        { kind: 'adjustment', id: 'adjustment-2', ...acme, keyId: 'key-1', amount: -4n, note: 'a correction' },
      ]);
    });

    test('lets a grant, an adjustment and a hold have the same id', async ({ ledger }) => {
      assert.deepEqual(await ledger.grant(grantOf({ grantId: 'same' })), { applied: true });
      assert.deepEqual(await ledger.adjust(adjustmentOf({ adjustmentId: 'same' })), { applied: true });
      await assertHeld(ledger, holdOf({ holdId: 'same' }));
    });
  });
}
