import assert from 'node:assert/strict';
import type { HoldRecord, Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

const OWNER = { organizationId: 'acme', keyId: 'key-1' };

/** A record without its times. */
async function untimed(ledger: Ledger, holdId = 'hold-1') {
  const record = await ledger.findHold(holdId);
  if (record === undefined) return undefined;
  const { createdAtMs: _, endedAtMs: __, ...rest } = record;
  return { ...rest };
}

/** An open hold with the given changes. */
function recordOf(changes: Partial<HoldRecord> = {}) {
  const open = { status: 'open', cost: 0n, model: 'exa/answer', provider: null } as const;
  return { holdId: 'hold-1', ...OWNER, ...open, ...changes };
}

async function withHold({ ledger, now }: LedgerUnderTest): Promise<void> {
  await ledger.grant(grantOf());
  await ledger.hold(holdOf({ expiresAtMs: now() + 60_000, tag: 'team-a' }));
}

/** Records of single holds: owner, time and kind of the ending, model; no records of refused holds. */
export function registerHoldRecords(suite: LedgerSuite): void {
  suite.describe('hold records', () => {
    registerStatuses(suite);
    registerTimes(suite);
  });
}

function registerStatuses({ test }: LedgerSuite): void {
  test('knows an open hold', async (under) => {
    await withHold(under);
    assert.deepEqual(await untimed(under.ledger), recordOf());
    assert.equal((await under.ledger.findHold('hold-1'))?.endedAtMs, null);
  });

  test('has no record of a refused or unknown hold', async ({ ledger }) => {
    assert.equal((await ledger.hold(holdOf())).status, 'refused');
    assert.equal(await ledger.findHold('hold-1'), undefined);
    assert.equal(await ledger.findHold('unknown'), undefined);
  });

  test('records cost, model and provider of a settled hold', async (under) => {
    await withHold(under);
    await under.ledger.settle('hold-1', chargeOf({ losses: TWO_LOSSES }));
    const settled = recordOf({ status: 'settled', cost: 7n, model: 'exa/answer-fast', provider: 'exa' });
    assert.deepEqual(await untimed(under.ledger), settled);
    await under.ledger.settle('hold-1', chargeOf({ cost: 9n, provider: 'other' }));
    await under.ledger.release('hold-1', RELEASE);
    assert.deepEqual(await untimed(under.ledger), settled, 'repeated endings change nothing');
  });

  const expire = ({ ledger, now }: LedgerUnderTest) => ledger.expireHolds(now() + 60_000);
  const settle = ({ ledger }: LedgerUnderTest) => ledger.settle('hold-1', chargeOf());
  const release = ({ ledger }: LedgerUnderTest) => ledger.release('hold-1', { ...RELEASE, losses: TWO_LOSSES });
  const free = chargeOf({ cost: 0n, costSource: 'cached' });
  const settled = { status: 'settled', model: 'exa/answer-fast', provider: 'exa' } as const;
  for (const [name, ended, ...steps] of [
    ['a charge of zero', settled, ({ ledger }: LedgerUnderTest) => ledger.settle('hold-1', free)],
    ['a released hold', { status: 'released' }, release],
    ['a hold that expired', { status: 'expired' }, expire],
    ['a hold that was settled late as settled', { ...settled, cost: 7n }, expire, settle],
    ['a hold that was released late as released', { status: 'released' }, expire, release],
  ] as const) {
    test(`knows ${name}`, async (under, ledger) => {
      await withHold(under);
      for (const step of steps) await step(under);
      assert.deepEqual(await untimed(ledger), recordOf(ended));
    });
  }
}

function registerTimes({ test, supports, testWith }: LedgerSuite): void {
  test('says when a hold was made and when it ended, in whole milliseconds of the ledger', async (under) => {
    const fromMs = under.now();
    await withHold(under);
    const open = await under.ledger.findHold('hold-1');
    await under.ledger.settle('hold-1', chargeOf());
    const settled = await under.ledger.findHold('hold-1');
    const toMs = under.now();
    assert.ok(open !== undefined && settled !== undefined && settled.endedAtMs !== null);
    assert.equal(settled.createdAtMs, open.createdAtMs);
    for (const timeMs of [settled.createdAtMs, settled.endedAtMs]) {
      assert.ok(Number.isInteger(timeMs) && timeMs >= fromMs && timeMs <= toMs);
    }
    const { entries } = await under.ledger.entries();
    assert.equal(settled.endedAtMs, entries.at(-1)?.atMs, 'it ended when it was charged');
  });

  if (supports.clock !== true) return;

  for (const [name, end] of [
    ['settle', (ledger: Ledger) => ledger.settle('hold-1', chargeOf())],
    ['release', (ledger: Ledger) => ledger.release('hold-1', RELEASE)],
  ] as const) {
    testWith('advance', `keeps the time of creation, and takes a late ${name} for the end`, async (under) => {
      const { ledger, now, advance } = under;
      const createdAtMs = now();
      await withHold(under);
      const times = async () => {
        const record = await ledger.findHold('hold-1');
        return [record?.createdAtMs, record?.endedAtMs];
      };
      await advance(70_000);
      assert.deepEqual(await times(), [createdAtMs, null]);
      await ledger.expireHolds(now());
      assert.deepEqual(await times(), [createdAtMs, createdAtMs + 70_000]);
      await advance(5_000);
      assert.deepEqual(await times(), [createdAtMs, createdAtMs + 70_000]);
      await end(ledger);
      await advance(5_000);
      await end(ledger);
      assert.deepEqual(await times(), [createdAtMs, createdAtMs + 75_000]);
    });
  }
}
