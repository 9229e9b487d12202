import assert from 'node:assert/strict';
import { type Ledger, MAX_NANO_USD, MAX_TAGGED_ROWS, MAX_TOTAL_NANO_USD } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { allEntries, assertOrganization } from './observe.js';
import { allUsage, rowOf } from './observe-usage.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

/** Bounds of usage: the number of separate tags, and sums beyond the range of counters. */
export function registerUsageBounds(suite: LedgerSuite): void {
  registerTagBound(suite);
  registerLargeSums(suite);
}

function registerTagBound({ test }: LedgerSuite): void {
  const LOSSES_EACH = 50;

  /** Records a loss of one nanodollar for each of `models` models, all with the same tag. */
  async function lose(ledger: Ledger, keyId: string, models: number): Promise<void> {
    for (let first = 0; first < models; first += LOSSES_EACH) {
      const holdId = `${keyId}.${first}`;
      await ledger.hold(holdOf({ holdId, keyId, amount: 0n, tag: 'many' }));
      const losses = Array.from({ length: Math.min(LOSSES_EACH, models - first) }, (_, index) => {
        return { model: `model-${first + index}`, provider: 'exa', cost: 1n, reason: 'failed' };
      });
      await ledger.release(holdId, { ...RELEASE, losses });
    }
  }

  async function settle(ledger: Ledger, holdId: string, { tag, keyId }: { tag: string; keyId: string }): Promise<void> {
    await ledger.hold(holdOf({ holdId, keyId, amount: 0n, tag }));
    await ledger.settle(holdId, chargeOf({ cost: 7n, model: 'model-0' }));
  }

  test(`keeps ${MAX_TAGGED_ROWS} models and tags of a key and a day apart, and counts more without a tag`, async ({
    ledger,
  }) => {
    const keyId = 'key-1';
    await ledger.grant(grantOf());
    await lose(ledger, keyId, MAX_TAGGED_ROWS - 1);
    await settle(ledger, 'last', { tag: 'last', keyId });
    await settle(ledger, 'one-more', { tag: 'one-more', keyId });
    await settle(ledger, 'known', { tag: 'last', keyId });
    await settle(ledger, 'other-key', { tag: 'one-more', keyId: 'key-2' });
    const entries = await allEntries(ledger);
    assert.ok(
      entries.some((entry) => entry.kind === 'charge' && entry.tag === 'one-more'),
      'the entry has its tag',
    );
    const lost = BigInt(MAX_TAGGED_ROWS - 1);
    const ofKey = [
      rowOf('last', { charges: 2, charged: 14n }),
      rowOf('many', { lost }),
      rowOf(null, { charges: 1, charged: 7n }),
    ];
    assert.deepEqual(await allUsage(ledger, { by: 'tag', keyId }), ofKey);
    const today = Math.floor((entries[0]?.atMs ?? 0) / 86_400_000);
    assert.deepEqual(await allUsage(ledger, { by: 'tag', keyId, fromDay: today }), ofKey, 'by the sums of the day');
    assert.deepEqual(await allUsage(ledger, { by: 'tag' }), [
      ...ofKey.slice(0, 2),
      rowOf('one-more', { charges: 1, charged: 7n }),
      rowOf(null, { charges: 1, charged: 7n, granted: 100n }),
    ]);
    const models = await allUsage(ledger, { by: 'model', keyId, limit: 1_000 });
    assert.equal(models.length, MAX_TAGGED_ROWS - 1, 'no model is lost');
  });
}

/** Sums beyond the range of the ledger's counters. Only the counters limit a settle. */
function registerLargeSums({ test }: LedgerSuite): void {
  const MAX = MAX_TOTAL_NANO_USD;

  test('adds up more than 64 bits over several organizations', async ({ ledger }) => {
    for (const organizationId of ['acme', 'globex', 'initech']) {
      for (const half of ['1', '2']) {
        const amount = half === '1' ? MAX_NANO_USD : MAX_NANO_USD - 1n;
        await ledger.grant(grantOf({ grantId: `${organizationId}.${half}`, organizationId, amount }));
      }
    }
    assert.deepEqual(await allUsage(ledger, { by: 'key' }), [rowOf(null, { granted: 3n * MAX })]);
    const [day] = await allUsage(ledger, { by: 'day' });
    assert.equal(day?.granted, 3n * MAX);
  });

  test('settles and releases holds with losses and upstream costs past 64 bits', async ({ ledger }) => {
    const [loss] = TWO_LOSSES;
    assert.ok(loss !== undefined);
    const losses = [
      { ...loss, cost: MAX_NANO_USD },
      { ...loss, cost: MAX_NANO_USD },
    ];
    await ledger.grant(grantOf());
    for (const holdId of ['hold-1', 'hold-2', 'hold-3']) {
      await ledger.hold(holdOf({ holdId, amount: 0n }));
      const ending = await ledger.settle(holdId, chargeOf({ cost: 1n, upstreamCost: MAX_NANO_USD, losses }));
      assert.deepEqual({ ...ending }, { status: 'settled', cost: 1n, first: true });
    }
    await ledger.hold(holdOf({ holdId: 'released', amount: 0n }));
    assert.equal((await ledger.release('released', { ...RELEASE, losses })).first, true);
    await assertOrganization(ledger, { credits: 100n, usage: 3n });
    const [row = rowOf('', {})] = await ledger.usage({ by: 'organization' });
    assert.deepEqual([row.charges, row.charged], [3, 3n]);
    assert.ok(row.lost >= MAX && row.upstreamCost >= MAX, 'as much as fits, or all of it');
  });

  test('settles charges past 64 bits if corrections make room for them', async ({ ledger }) => {
    for (const step of ['1', '2', '3']) {
      const amount = -MAX_NANO_USD;
      await ledger.adjust(adjustmentOf({ adjustmentId: `room-${step}`, keyId: 'key-1', amount }));
      await ledger.hold(holdOf({ holdId: step, amount: 0n }));
      assert.equal((await ledger.settle(step, chargeOf({ cost: MAX_NANO_USD }))).status, 'settled');
    }
    await assertOrganization(ledger, {});
    const [row = rowOf('', {})] = await ledger.usage({ by: 'organization' });
    assert.equal(row.charges, 3);
    assert.ok(row.charged >= MAX && row.adjusted <= -MAX, 'as much as fits, or all of it');
  });
}
