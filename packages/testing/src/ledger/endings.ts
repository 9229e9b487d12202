import assert from 'node:assert/strict';
import type { HoldEnding, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { assertHeld, assertKey, assertNoChange, assertOrganization, untimedLog } from './observe.js';
import { chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

const settle = (ledger: Ledger) => ledger.settle('hold-1', chargeOf());
const settleForMore = (ledger: Ledger) => ledger.settle('hold-1', chargeOf({ cost: 9n, losses: TWO_LOSSES }));
const release = (ledger: Ledger) => ledger.release('hold-1', RELEASE);
const releaseWithLosses = (ledger: Ledger) => ledger.release('hold-1', { reason: 'other', losses: TWO_LOSSES });

const SETTLED: HoldEnding = { status: 'settled', cost: 7n, first: true };
const RELEASED: HoldEnding = { status: 'released', cost: 0n, first: true };

const PAIRS = [
  { name: 'settle after settle', first: settle, second: settleForMore, ending: SETTLED },
  { name: 'release after settle', first: settle, second: releaseWithLosses, ending: SETTLED },
  { name: 'settle after release', first: release, second: settleForMore, ending: RELEASED },
  { name: 'release after release', first: release, second: releaseWithLosses, ending: RELEASED },
] as const;

async function withHold(ledger: Ledger): Promise<void> {
  await ledger.grant(grantOf());
  await ledger.hold(holdOf());
}

/**
 * Settle and release: a hold ends exactly once, and every later ending returns the first result. The true cost is charged even above the held
 * amount. Losses are recorded and do not change usage.
 */
export function registerEndings({ describe, test }: LedgerSuite): void {
  describe('settle and release', () => {
    test('charges the true cost and frees the hold', async ({ ledger }) => {
      await withHold(ledger);
      assert.deepEqual({ ...(await settle(ledger)) }, SETTLED);
      await assertOrganization(ledger, { credits: 100n, usage: 7n });
      await assertKey(ledger, { usage: 7n });
    });

    test('charges a cost of zero', async ({ ledger }) => {
      await withHold(ledger);
      assert.equal((await ledger.settle('hold-1', chargeOf({ cost: 0n, costSource: 'flat' }))).status, 'settled');
      await assertOrganization(ledger, { credits: 100n });
      assert.equal((await untimedLog(ledger)).length, 2);
    });

    test('charges more than was held, even beyond balance and limit', async ({ ledger }) => {
      await withHold(ledger);
      assert.equal((await ledger.settle('hold-1', chargeOf({ cost: 130n }))).cost, 130n);
      await assertOrganization(ledger, { credits: 100n, usage: 130n });
      const figures = { limit: 20n, usage: 130n, held: 0n, required: 10n, resetsAtMs: null, fitsWithoutHolds: false };
      const refusal = await ledger.hold(holdOf({ holdId: 'hold-2', keyLimit: 20n }));
      assert.deepEqual({ ...refusal }, { status: 'refused', by: 'key_limit', ...figures });
    });

    test('frees a released hold without a trace in the log', async ({ ledger }) => {
      await withHold(ledger);
      assert.deepEqual({ ...(await release(ledger)) }, RELEASED);
      await assertOrganization(ledger, { credits: 100n });
      await assertKey(ledger, {});
      assert.equal((await untimedLog(ledger)).length, 1);
      await assertHeld(ledger, holdOf({ holdId: 'hold-2', amount: 100n }));
    });

    for (const { name, first, second, ending } of PAIRS) {
      test(`repeats the first ending on ${name}`, async ({ ledger }) => {
        await withHold(ledger);
        assert.deepEqual({ ...(await first(ledger)) }, ending);
        await assertNoChange(ledger, async () => {
          assert.deepEqual({ ...(await second(ledger)) }, { ...ending, first: false });
          assert.deepEqual({ ...(await second(ledger)) }, { ...ending, first: false });
        });
      });
    }

    test('ends a hold once when 16 calls end it at once', async ({ ledger }) => {
      await withHold(ledger);
      const operations = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? settle : release));
      const endings = await Promise.all(operations.map((operation) => operation(ledger)));
      const first = endings.filter((ending) => ending.first);
      assert.equal(first.length, 1);
      for (const { status, cost } of endings) assert.deepEqual({ status, cost, first: true }, { ...first[0] });
      await assertOrganization(ledger, { credits: 100n, usage: first[0]?.cost ?? 0n });
    });

    for (const [name, operation, usage] of [
      ['settle', settleForMore, 9n],
      ['release', releaseWithLosses, 0n],
    ] as const) {
      test(`records the losses of a ${name}, and changes no usage`, async ({ ledger }) => {
        await withHold(ledger);
        await operation(ledger);
        await assertOrganization(ledger, { credits: 100n, usage });
        await assertKey(ledger, { usage });
        const owner = { kind: 'loss', organizationId: 'acme', keyId: 'key-1' } as const;
        const expected = TWO_LOSSES.map(({ cost, ...attempt }, index) => {
          return { ...owner, id: `hold-1.loss.${index + 1}`, amount: cost, ...attempt };
        });
        const losses = (await untimedLog(ledger)).filter(({ kind }) => kind === 'loss');
        assert.deepEqual(losses, expected);
      });
    }
  });
}
