import assert from 'node:assert/strict';
import { type Ledger, LIMIT_RESETS, USAGE_GROUPS } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries, assertKey, assertOrganization, assertWindows } from './observe.js';
import { allUsage, assertUsageOfLog } from './observe-usage.js';
import { admitTimes, requestOf } from './rate-requests.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

const three = { requests: 3, periodMs: 86_400_000 };
const RATED = requestOf({ keyRateLimit: three, organizationRateLimit: three });

/** A grant, an adjustment, used-up rates, and holds that are open, settled, released and expired. */
async function writeOneOfEach({ ledger, now }: LedgerUnderTest): Promise<void> {
  await ledger.grant(grantOf());
  await ledger.adjust(adjustmentOf({ keyId: 'key-1' }));
  await admitTimes(ledger, 3, RATED);
  for (const holdId of ['open', 'settled', 'released']) await ledger.hold(holdOf({ holdId, tag: 'team-a' }));
  await ledger.settle('settled', chargeOf({ losses: TWO_LOSSES }));
  await ledger.release('released', RELEASE);
  await ledger.hold(holdOf({ holdId: 'expired', expiresAtMs: now() + 1 }));
  assert.equal(await ledger.expireHolds(now() + 1), 1);
}

/** Everything of {@link writeOneOfEach} that a handle shows. */
async function readAll(ledger: Ledger): Promise<unknown> {
  const { key, organization } = await ledger.ratesUsed(RATED);
  return structuredClone([
    await allEntries(ledger),
    await ledger.organizationTotals('acme'),
    await Promise.all([null, ...LIMIT_RESETS].map((reset) => ledger.keyTotals('key-1', reset))),
    await Promise.all(['open', 'settled', 'released', 'expired'].map((id) => ledger.findHold(id))),
    await Promise.all(USAGE_GROUPS.map((by) => allUsage(ledger, { by }))),
    // A real clock drains a little of them during a test.
    [key, organization].map((used) => Math.round(used ?? 0)),
  ]);
}

/** Asserts that everything of {@link writeOneOfEach} counts through a handle, and continues with it. */
async function assertOneOfEach(ledger: Ledger): Promise<void> {
  await assertOrganization(ledger, { credits: 100n, usage: 12n, held: 10n });
  await assertKey(ledger, { usage: 12n, held: 10n });
  assert.deepEqual(await ledger.grant(grantOf()), { applied: false });
  assert.deepEqual(await ledger.adjust(adjustmentOf({ keyId: 'key-1' })), { applied: false });
  assert.deepEqual(await admitTimes(ledger, 1, RATED), ['key_rate']);
  const full = await ledger.hold(holdOf({ holdId: 'more', keyMaxConcurrent: 1 }));
  assert.deepEqual({ ...full }, { status: 'refused', by: 'key_concurrency' });
  await assertRefused('duplicate_hold', () => ledger.hold(holdOf({ holdId: 'released' })));
  const settled = await ledger.settle('settled', chargeOf({ cost: 1n }));
  assert.deepEqual({ ...settled }, { status: 'settled', cost: 7n, first: false });
  assert.equal((await ledger.settle('released', chargeOf())).status, 'released');
  assert.equal((await ledger.settle('expired', chargeOf())).first, true);
  assert.equal((await ledger.settle('open', chargeOf())).first, true);
  await assertOrganization(ledger, { credits: 100n, usage: 26n });
  await assertWindows(ledger, { daily: 26n, weekly: 26n, monthly: 26n });
  await assertUsageOfLog(ledger);
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
        const written = await readAll(under.ledger);
        const reopened = await under.reopen();
        assert.deepEqual(await readAll(reopened), written);
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
        assert.deepEqual(await readAll(other), await readAll(under.ledger));
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
