import assert from 'node:assert/strict';
import type { AdmitRequest, HoldRequest, Ledger, RateLimit } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertNoChange } from './observe.js';
import { admitTimes, requestOf } from './rate-requests.js';
import { registerDraining } from './rates-draining.js';
import { chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

/** Nothing drains of this limit during a test. */
const three: RateLimit = { requests: 3, periodMs: 86_400_000 };
const ten: RateLimit = { requests: 10, periodMs: 86_400_000 };

/** The use of each rate, rounded to hide what drains on a real clock during a test. */
async function usedOf(ledger: Ledger, request: AdmitRequest): Promise<readonly (number | null)[]> {
  const { key, organization } = await ledger.ratesUsed(request);
  return [key, organization].map((used) => (used === null ? null : Math.round(used)));
}

async function byOf(ledger: Ledger, request: HoldRequest): Promise<string> {
  const result = await ledger.hold(request);
  return result.status === 'refused' ? result.by : result.status;
}

/** Rates: a burst up to the limit, then one request per drained request; counted for key and organization in the same step as the hold. */
export function registerRates(suite: LedgerSuite): void {
  suite.describe('rates', () => {
    registerBursts(suite);
    registerRefusalsUseNothing(suite);
    registerChanges(suite);
    registerAdmissions(suite);
    if (suite.supports.clock === true) registerDraining(suite);
  });
}

function registerBursts({ funded }: LedgerSuite): void {
  funded(1_000n, 'admits a burst up to the limit of a key, and reports its use', async ({ ledger }) => {
    for (const index of [1, 2, 3]) {
      const result = await ledger.hold(holdOf({ holdId: `hold-${index}`, keyRateLimit: three }));
      assert.equal(result.status, 'held');
      assert.ok(Math.abs((result.ratesUsed?.key ?? 0) - index) < 0.01, 'this hold included');
      assert.equal(result.ratesUsed?.organization, null);
    }
    await assertNoChange(ledger, async () => {
      const refused = await ledger.hold(holdOf({ holdId: 'hold-4', keyRateLimit: three }));
      assert.equal(refused.status === 'refused' && refused.by, 'key_rate');
      assert.ok(Math.abs((refused.ratesUsed?.key ?? 0) - 3) < 0.01, 'without the refused one');
    });
    assert.equal(await byOf(ledger, holdOf({ holdId: 'hold-5', keyId: 'key-2', keyRateLimit: three })), 'held');
  });

  funded(1_000n, 'admits a burst up to the limit of an organization, over all its keys', async ({ ledger }) => {
    const changes = { organizationRateLimit: three };
    for (const index of [1, 2, 3])
      assert.equal(await byOf(ledger, holdOf({ holdId: `hold-${index}`, keyId: `key-${index}`, ...changes })), 'held');
    assert.equal(await byOf(ledger, holdOf({ holdId: 'hold-4', keyId: 'key-4', ...changes })), 'organization_rate');
    await ledger.grant(grantOf({ grantId: 'grant-2', organizationId: 'globex' }));
    const other = holdOf({ holdId: 'hold-5', keyId: 'key-5', organizationId: 'globex', ...changes });
    assert.equal(await byOf(ledger, other), 'held');
  });

  funded(100n, 'reports no rates for a hold without rates', async ({ ledger }) => {
    await assertHeld(ledger, holdOf());
    assert.deepEqual({ ...(await ledger.ratesUsed(requestOf())) }, { key: null, organization: null });
  });

  funded(1_000n, 'keeps the use of a rate whether holds are settled, released or open', async ({ ledger }) => {
    for (const index of [1, 2, 3]) await ledger.hold(holdOf({ holdId: `hold-${index}`, keyRateLimit: three }));
    await ledger.settle('hold-1', chargeOf());
    await ledger.release('hold-2', RELEASE);
    assert.equal(await byOf(ledger, holdOf({ holdId: 'hold-4', keyRateLimit: three })), 'key_rate');
  });
}

function registerRefusalsUseNothing({ funded, test }: LedgerSuite): void {
  const both = { keyRateLimit: ten, organizationRateLimit: ten };
  const refusals: Readonly<Record<string, Partial<HoldRequest>>> = {
    key_concurrency: { keyMaxConcurrent: 1 },
    organization_concurrency: { organizationMaxConcurrent: 1 },
    key_limit: { keyLimit: 11n },
    organization_credits: { amount: 1_000_000n },
  };
  for (const [by, changes] of Object.entries(refusals)) {
    funded(100n, `counts no request for a hold that ${by} refuses`, async ({ ledger }) => {
      await ledger.hold(holdOf());
      for (const index of [1, 2])
        assert.equal(await byOf(ledger, holdOf({ holdId: `other-${index}`, ...both, ...changes })), by);
      assert.deepEqual(await usedOf(ledger, requestOf(both)), [0, 0]);
    });
  }

  test('counts no request of a key that the rate of its organization refuses', async ({ ledger }) => {
    await admitTimes(ledger, 3, requestOf({ organizationRateLimit: three }));
    const request = requestOf({ keyRateLimit: ten, organizationRateLimit: three });
    assert.deepEqual(await admitTimes(ledger, 2, request), ['organization_rate', 'organization_rate']);
    assert.deepEqual(await usedOf(ledger, request), [0, 3]);
  });

  test('reports the key if both rates are used up, and rates before money', async ({ ledger }) => {
    const request = { keyRateLimit: three, organizationRateLimit: three };
    await admitTimes(ledger, 3, requestOf(request));
    assert.equal(await byOf(ledger, holdOf({ ...request, keyLimit: 0n })), 'key_rate');
    assert.equal(await byOf(ledger, holdOf({ organizationRateLimit: three, keyLimit: 0n })), 'organization_rate');
  });

  funded(100n, 'reports missing slots before used-up rates', async ({ ledger }) => {
    await ledger.hold(holdOf());
    await admitTimes(ledger, 3, requestOf({ keyRateLimit: three }));
    const request = holdOf({ holdId: 'hold-2', keyRateLimit: three, organizationMaxConcurrent: 1 });
    assert.equal(await byOf(ledger, request), 'organization_concurrency');
  });

  funded(100n, 'counts no request for a repeated id', async ({ ledger }) => {
    await ledger.hold(holdOf());
    await assert.rejects(ledger.hold(holdOf({ keyRateLimit: ten })));
    assert.deepEqual(await usedOf(ledger, requestOf({ keyRateLimit: ten })), [0, null]);
  });
}

function registerChanges({ test }: LedgerSuite): void {
  test('counts requests from before a changed limit', async ({ ledger }) => {
    await admitTimes(ledger, 3, requestOf({ keyRateLimit: ten }));
    assert.deepEqual(await admitTimes(ledger, 1, requestOf({ keyRateLimit: three })), ['key_rate']);
    const higher = requestOf({ keyRateLimit: { requests: 5, periodMs: 86_400_000 } });
    assert.deepEqual(await admitTimes(ledger, 3, higher), ['admitted', 'admitted', 'key_rate']);
    const shorter = requestOf({ keyRateLimit: { requests: 5, periodMs: 43_200_000 } });
    assert.deepEqual(await admitTimes(ledger, 1, shorter), ['key_rate']);
  });

  test('takes the largest and the smallest limit', async ({ ledger }) => {
    const largest = { requests: 1_000_000, periodMs: 1_000 };
    const smallest = { requests: 1, periodMs: 86_400_000 };
    const request = requestOf({ keyRateLimit: largest, organizationRateLimit: smallest });
    assert.deepEqual(await admitTimes(ledger, 2, request), ['admitted', 'organization_rate']);
  });
}

function registerAdmissions({ funded, test }: LedgerSuite): void {
  funded(100n, 'admits a request without a hold by its rates alone, without a slot', async ({ ledger }) => {
    const request = requestOf({ keyRateLimit: three, organizationRateLimit: ten });
    await assertNoChange(ledger, async () => {
      assert.deepEqual(await admitTimes(ledger, 4, request), ['admitted', 'admitted', 'admitted', 'key_rate']);
    });
    assert.deepEqual(await usedOf(ledger, request), [3, 3]);
    await assertHeld(ledger, holdOf({ keyMaxConcurrent: 1, organizationMaxConcurrent: 1 }));
    assert.deepEqual(await admitTimes(ledger, 1, requestOf({ organizationRateLimit: ten })), ['admitted']);
  });

  test('admits without a limit, and counts nothing', async ({ ledger }) => {
    assert.deepEqual(await admitTimes(ledger, 2, requestOf()), ['admitted', 'admitted']);
    assert.deepEqual(await usedOf(ledger, requestOf({ keyRateLimit: three })), [0, null]);
  });

  funded(100n, 'counts a hold without a slot for its rate', async ({ ledger }) => {
    const changes = { keyRateLimit: three, usesSlot: false };
    for (const index of [1, 2, 3])
      assert.equal(await byOf(ledger, holdOf({ holdId: `hold-${index}`, amount: 1n, ...changes })), 'held');
    assert.equal(await byOf(ledger, holdOf({ holdId: 'hold-4', amount: 1n, ...changes })), 'key_rate');
  });
}
/** Part of the suite for ledgers with a movable clock. */
