import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries, assertKey, assertOrganization } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

/** A grant, an adjustment, and holds that are open, settled, released and expired. */
async function writeOneOfEach({ ledger, now }: LedgerUnderTest): Promise<void> {
  await ledger.grant(grantOf());
  await ledger.adjust(adjustmentOf({ keyId: 'key-1' }));
  for (const holdId of ['open', 'settled', 'released']) await ledger.hold(holdOf({ holdId }));
  await ledger.settle('settled', chargeOf({ losses: TWO_LOSSES }));
  await ledger.release('released', RELEASE);
  await ledger.hold(holdOf({ holdId: 'expired', expiresAtMs: now() + 1 }));
  assert.equal(await ledger.expireHolds(now() + 1), 1);
}

/** Asserts that everything of {@link writeOneOfEach} is visible through a handle, and continues with it. */
async function assertOneOfEach(ledger: Ledger): Promise<void> {
  await assertOrganization(ledger, { credits: 100n, usage: 12n, held: 10n });
  await assertKey(ledger, { usage: 12n, held: 10n });
  assert.deepEqual(await ledger.grant(grantOf()), { applied: false });
  assert.deepEqual(await ledger.adjust(adjustmentOf({ keyId: 'key-1' })), { applied: false });
  await assertRefused('duplicate_hold', () => ledger.hold(holdOf({ holdId: 'released' })));
  const settled = await ledger.settle('settled', chargeOf({ cost: 1n }));
  assert.deepEqual({ ...settled }, { status: 'settled', cost: 7n, first: false });
  assert.equal((await ledger.settle('released', chargeOf())).status, 'released');
  assert.equal((await ledger.settle('expired', chargeOf())).first, true);
  assert.equal((await ledger.settle('open', chargeOf())).first, true);
  await assertOrganization(ledger, { credits: 100n, usage: 26n });
}

/**
 * Durability and sharing: acknowledged operations survive an abrupt end of the process, and every other handle sees them at once, including
 * the ids that must not count twice.
 */
export function registerDurability({ describe, supports, testWith }: LedgerSuite): void {
  if (supports.reopen === true) {
    describe('opened again', () => {
      testWith('reopen', 'keeps everything it acknowledged', async (under) => {
        await writeOneOfEach(under);
        const entries = await allEntries(under.ledger);
        const reopened = await under.reopen();
        assert.deepEqual(await allEntries(reopened), entries);
        await assertOneOfEach(reopened);
      });

      testWith('reopen', 'still expires the holds of the process that died', async (under) => {
        const expiresAtMs = under.now() + 60_000;
        await under.ledger.grant(grantOf());
        await under.ledger.hold(holdOf({ expiresAtMs }));
        const reopened = await under.reopen();
        assert.equal(await reopened.expireHolds(expiresAtMs), 1);
        await assertOrganization(reopened, { credits: 100n });
      });
    });
  }

  if (supports.connections === true) {
    describe('with several handles', () => {
      testWith('connect', 'shows every handle the same money', async (under) => {
        const other = await under.connect();
        await writeOneOfEach(under);
        assert.deepEqual(await allEntries(other), await allEntries(under.ledger));
        await assertOneOfEach(other);
      });

      testWith('connect', 'closes one handle without the others', async (under) => {
        const other = await under.connect();
        await writeOneOfEach(under);
        await under.ledger.close();
        await assertOneOfEach(other);
      });
    });
  }
}
