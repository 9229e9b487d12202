import assert from 'node:assert/strict';
import { type Ledger, MAX_NANO_USD, MAX_TOTAL_NANO_USD } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertKey, assertNoChange, assertOrganization, assertWindows } from './observe.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const MAX = MAX_TOTAL_NANO_USD;
const DAY_MS = 24 * 3_600_000;

/** Adjusts the usage of `acme`, and of `key-1` if named: in two steps if one would exceed 2^62. */
async function adjustBy(ledger: Ledger, name: string, { amount, keyId }: { amount: bigint; keyId?: string }) {
  const half = amount / 2n;
  for (const [index, part] of [half, amount - half].entries()) {
    await ledger.adjust(adjustmentOf({ adjustmentId: `${name}.${index}`, amount: part, ...(keyId && { keyId }) }));
  }
}

async function grantMost(ledger: Ledger, organizationId: string): Promise<void> {
  await ledger.grant(grantOf({ grantId: `${organizationId}.1`, organizationId, amount: MAX_NANO_USD }));
  await ledger.grant(grantOf({ grantId: `${organizationId}.2`, organizationId, amount: MAX_NANO_USD - 1n }));
}

/** Bounds: no total exceeds ±(2^63 − 1). An operation that would exceed it is refused, changes nothing, and fails no other operation. */
export function registerBounds(suite: LedgerSuite): void {
  suite.describe('bounds of totals', () => {
    registerRefusedTotals(suite);
  });
}

function registerRefusedTotals({ funded, test, supports }: LedgerSuite): void {
  test('refuses a grant that would take credits over 2^63 − 1', async ({ ledger }) => {
    await grantMost(ledger, 'acme');
    await assertOrganization(ledger, { credits: MAX });
    const oneMore = grantOf({ grantId: 'one-more', amount: 1n });
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.grant(oneMore)));
    assert.deepEqual(await ledger.grant({ ...oneMore, amount: 0n }), { applied: true });
  });

  test('refuses an adjustment that would take usage past the bound, up or down', async ({ ledger }) => {
    await adjustBy(ledger, 'up', { amount: MAX, keyId: 'key-1' });
    await assertKey(ledger, { usage: MAX });
    const up = adjustmentOf({ adjustmentId: 'more', amount: 1n });
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.adjust(up)));
    const ofKey = { ...up, organizationId: 'globex', keyId: 'key-1' };
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.adjust(ofKey)));
    await assertOrganization(ledger, {}, 'globex');
    await adjustBy(ledger, 'down', { amount: -MAX, keyId: 'key-1' });
    await adjustBy(ledger, 'below', { amount: -MAX, keyId: 'key-1' });
    await assertOrganization(ledger, { usage: -MAX });
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.adjust({ ...up, amount: -1n })));
  });

  test('refuses a hold that would take the held amount past the bound', async ({ ledger }) => {
    await grantMost(ledger, 'acme');
    await adjustBy(ledger, 'down', { amount: -MAX });
    await assertHeld(ledger, holdOf({ amount: MAX_NANO_USD }));
    await assertHeld(ledger, holdOf({ holdId: 'hold-2', keyId: 'key-2', amount: MAX_NANO_USD - 1n }));
    const oneMore = holdOf({ holdId: 'hold-3', keyId: 'key-3', amount: 1n });
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.hold(oneMore)));
    await assertHeld(ledger, { ...oneMore, amount: 0n });
  });

  test('refuses a hold that would take the held amount of a key past the bound', async ({ ledger }) => {
    await grantMost(ledger, 'acme');
    await grantMost(ledger, 'globex');
    await assertHeld(ledger, holdOf({ amount: MAX_NANO_USD }));
    const other = holdOf({ holdId: 'hold-2', organizationId: 'globex', amount: MAX_NANO_USD });
    await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.hold(other)));
    await assertOrganization(ledger, { credits: MAX }, 'globex');
    await assertHeld(ledger, { ...other, amount: MAX_NANO_USD - 1n });
  });

  funded(100n, 'refuses a settle that would take usage past the bound, and keeps the hold open', async ({ ledger }) => {
    await assertHeld(ledger, holdOf());
    await adjustBy(ledger, 'up', { amount: MAX - 9n });
    await assertNoChange(ledger, () =>
      assertRefused('invalid_amount', () => ledger.settle('hold-1', chargeOf({ cost: 10n }))),
    );
    assert.equal((await ledger.settle('hold-1', chargeOf({ cost: 9n }))).status, 'settled');
    await assertOrganization(ledger, { credits: 100n, usage: MAX });
  });

  funded(100n, 'fails no other parallel operation', async ({ ledger }) => {
    await grantMost(ledger, 'globex');
    const results = await Promise.allSettled([
      ledger.hold(holdOf()),
      ledger.grant(grantOf({ grantId: 'too-much', organizationId: 'globex', amount: 1n })),
      ledger.hold(holdOf({ holdId: 'hold-2' })),
      ledger.grant(grantOf({ grantId: 'grant-2', amount: 5n })),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await assertOrganization(ledger, { credits: 105n, held: 20n });
  });

  if (supports.clock === true) {
    test('refuses operations that would take the usage of a window past the bound', async (under, ledger) => {
      await adjustBy(ledger, 'down', { amount: -MAX, keyId: 'key-1' });
      await under.advance?.(40 * DAY_MS);
      await adjustBy(ledger, 'up', { amount: MAX, keyId: 'key-1' });
      await assertWindows(ledger, { daily: MAX, weekly: MAX, monthly: MAX });
      const oneMore = adjustmentOf({ adjustmentId: 'more', keyId: 'key-1', amount: 1n });
      await assertNoChange(ledger, () => assertRefused('invalid_amount', () => ledger.adjust(oneMore)));
    });
  }
}
