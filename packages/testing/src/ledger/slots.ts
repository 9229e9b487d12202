import assert from 'node:assert/strict';
import type { HoldRequest, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange } from './observe.js';
import { chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

const MINUTE_MS = 60_000;

const ofKey = { keyMaxConcurrent: 2 };
const ofOrganization = { organizationMaxConcurrent: 2 };
const full = (by: string) => ({ status: 'refused', by });

/** Two holds of `key-1`, `open-1` and `open-2`, without limits. */
async function holdTwo(ledger: Ledger, changes: Partial<HoldRequest> = {}): Promise<void> {
  await ledger.grant(grantOf({ amount: 10_000n }));
  for (const holdId of ['open-1', 'open-2']) await assertHeld(ledger, holdOf({ holdId, ...changes }));
}

async function assertFull(ledger: Ledger, by: string, request: HoldRequest): Promise<void> {
  await assertNoChange(ledger, async () => assert.deepEqual({ ...(await ledger.hold(request)) }, full(by)));
}

/** Slots: open holds are counted exactly per key and organization, and a slot is freed once, when its hold ends. */
export function registerSlots(suite: LedgerSuite): void {
  suite.describe('slots', () => {
    registerCounting(suite);
    registerGivingBack(suite);
  });
}

function registerCounting({ funded, test }: LedgerSuite): void {
  test('refuses a hold of a key that has all its slots taken', async ({ ledger }) => {
    await holdTwo(ledger, ofKey);
    await assertFull(ledger, 'key_concurrency', holdOf(ofKey));
    await assertHeld(ledger, holdOf({ ...ofKey, keyId: 'key-2' }));
  });

  test('refuses a hold of an organization that has all its slots taken, whichever key asks', async ({ ledger }) => {
    await holdTwo(ledger, ofOrganization);
    await assertFull(ledger, 'organization_concurrency', holdOf({ ...ofOrganization, keyId: 'key-2' }));
    await ledger.grant(grantOf({ grantId: 'grant-2', organizationId: 'globex' }));
    await assertHeld(ledger, holdOf({ ...ofOrganization, organizationId: 'globex', keyId: 'key-2' }));
  });

  test('counts holds older than the limit, and applies a raised limit at once', async ({ ledger }) => {
    await holdTwo(ledger);
    await assertFull(ledger, 'key_concurrency', holdOf({ keyMaxConcurrent: 1 }));
    await assertFull(ledger, 'organization_concurrency', holdOf({ organizationMaxConcurrent: 1, keyId: 'key-2' }));
    await assertHeld(ledger, holdOf({ keyMaxConcurrent: 3, organizationMaxConcurrent: 3 }));
  });

  test('reports the key if both key and organization have no free slot', async ({ ledger }) => {
    await holdTwo(ledger);
    await assertFull(ledger, 'key_concurrency', holdOf({ ...ofKey, ...ofOrganization }));
  });

  test('reports missing slots before missing money', async ({ ledger }) => {
    await holdTwo(ledger);
    await assertFull(ledger, 'key_concurrency', holdOf({ ...ofKey, amount: 1_000_000n, keyLimit: 0n }));
    await assertFull(ledger, 'organization_concurrency', holdOf({ ...ofOrganization, amount: 1_000_000n }));
  });

  test('counts no slot for a hold that takes none', async ({ ledger }) => {
    await holdTwo(ledger);
    const waiting = { keyMaxConcurrent: 1, organizationMaxConcurrent: 1, usesSlot: false };
    await assertHeld(ledger, holdOf({ ...waiting, holdId: 'waiting' }));
    await assertFull(ledger, 'key_concurrency', holdOf(ofKey));
    await ledger.settle('waiting', chargeOf());
    await assertFull(ledger, 'key_concurrency', holdOf(ofKey));
    await ledger.release('open-1', RELEASE);
    await assertHeld(ledger, holdOf(ofKey));
  });

  funded(100n, 'takes no slot for a hold that money refuses', async ({ ledger }) => {
    for (const index of [1, 2, 3])
      assert.equal((await ledger.hold(holdOf({ holdId: `dear-${index}`, amount: 101n, ...ofKey }))).status, 'refused');
    await assertHeld(ledger, holdOf({ ...ofKey, keyMaxConcurrent: 1 }));
  });
}

function registerGivingBack({ test }: LedgerSuite): void {
  const endings: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
    settle: (ledger) => ledger.settle('open-1', chargeOf()),
    release: (ledger) => ledger.release('open-1', RELEASE),
  };
  for (const [name, end] of Object.entries(endings)) {
    test(`frees a slot once after a ${name}`, async ({ ledger }) => {
      await holdTwo(ledger);
      await Promise.all([end(ledger), end(ledger), end(ledger)]);
      await assertHeld(ledger, holdOf({ ...ofKey, ...ofOrganization }));
      await assertFull(ledger, 'key_concurrency', holdOf({ ...ofKey, holdId: 'hold-2' }));
    });
  }

  test('frees the slots of a dead process when its holds expire, not before', async ({ ledger, now }) => {
    const expiresAtMs = now() + MINUTE_MS;
    await holdTwo(ledger, { expiresAtMs });
    await ledger.expireHolds(expiresAtMs - 1);
    await assertFull(ledger, 'key_concurrency', holdOf(ofKey));
    await ledger.expireHolds(expiresAtMs);
    await assertHeld(ledger, holdOf({ ...ofKey, ...ofOrganization }));
    await assertHeld(ledger, holdOf({ ...ofKey, ...ofOrganization, holdId: 'hold-2' }));
    await assertFull(ledger, 'key_concurrency', holdOf({ ...ofKey, holdId: 'hold-3' }));
  });

  test('frees no slot twice for a late settle', async ({ ledger, now }) => {
    const expiresAtMs = now() + MINUTE_MS;
    await holdTwo(ledger, { expiresAtMs });
    await ledger.expireHolds(expiresAtMs);
    await assertHeld(ledger, holdOf({ holdId: 'hold-1' }));
    await assertHeld(ledger, holdOf({ holdId: 'hold-2' }));
    await ledger.settle('open-1', chargeOf());
    await ledger.release('open-2', RELEASE);
    await assertFull(ledger, 'key_concurrency', holdOf({ ...ofKey, holdId: 'hold-3' }));
  });
}
