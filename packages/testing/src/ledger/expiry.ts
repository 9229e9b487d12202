import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { assertHeld, assertKey, assertNoChange, assertOrganization, sortedById, sum, untimedLog } from './observe.js';
import { assertUsageOfLog } from './observe-usage.js';
import { chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

const MINUTE_MS = 60_000;

/** Holds 10 for a minute. @returns the expiry. */
async function holdForAMinute({ ledger, now }: LedgerUnderTest): Promise<number> {
  const expiresAtMs = now() + MINUTE_MS;
  await ledger.grant(grantOf());
  await assertHeld(ledger, holdOf({ expiresAtMs }));
  return expiresAtMs;
}

const owner = { organizationId: 'acme', keyId: 'key-1', amount: 10n } as const;
const EXPIRED = { kind: 'expired', id: 'hold-1.expired', ...owner, model: 'exa/answer' } as const;

async function logAfterGrant(ledger: Ledger) {
  return sortedById((await untimedLog(ledger)).slice(1));
}

/**
 * Expiry: holds of dead processes are freed, only when due and each once. A late settle still charges, and a late release still records its losses: the
 * first of them, once.
 */
export function registerExpiry(suite: LedgerSuite): void {
  suite.describe('expiry', () => {
    registerDueHolds(suite);
    registerLateSettles(suite);
    registerLateReleases(suite);
    registerLateRaces(suite);
  });
}

function registerDueHolds({ test }: LedgerSuite): void {
  test('ends a hold from the very millisecond of its expiry on', async (under, ledger) => {
    const expiresAtMs = await holdForAMinute(under);
    assert.equal(await ledger.expireHolds(expiresAtMs - 1), 0);
    await assertOrganization(ledger, { credits: 100n, held: 10n });
    assert.equal(await ledger.expireHolds(expiresAtMs), 1);
    assert.equal(await ledger.expireHolds(expiresAtMs + MINUTE_MS), 0);
  });

  test('frees the money and writes down how much had been held', async (under, ledger) => {
    await ledger.expireHolds(await holdForAMinute(under));
    await assertOrganization(ledger, { credits: 100n });
    await assertKey(ledger, {});
    assert.deepEqual(await logAfterGrant(ledger), [EXPIRED]);
  });

  test('ends only what is due and still open', async ({ ledger, now }) => {
    const startMs = now();
    await ledger.grant(grantOf({ amount: 1_000n }));
    // Neither in ascending nor in descending order of expiry.
    for (const index of [4, 1, 7, 3, 0, 6, 2, 5]) {
      await ledger.hold(holdOf({ holdId: `hold-${index}`, expiresAtMs: startMs + (index + 1) * MINUTE_MS }));
    }
    await ledger.settle('hold-0', chargeOf());
    await ledger.release('hold-3', RELEASE);
    assert.equal(await ledger.expireHolds(startMs + 5 * MINUTE_MS), 3);
    await assertOrganization(ledger, { credits: 1_000n, usage: 7n, held: 30n });
    assert.equal(await ledger.expireHolds(startMs + 8 * MINUTE_MS), 3);
    await assertOrganization(ledger, { credits: 1_000n, usage: 7n });
  });

  test('ends each hold once when five sweeps run at once', async ({ ledger, now }) => {
    const expiresAtMs = now() + MINUTE_MS;
    await ledger.grant(grantOf());
    for (let index = 0; index < 10; index += 1) await ledger.hold(holdOf({ holdId: `hold-${index}`, expiresAtMs }));
    const counts = await Promise.all(Array.from({ length: 5 }, () => ledger.expireHolds(expiresAtMs)));
    assert.equal(sum(counts), 10);
    await assertOrganization(ledger, { credits: 100n });
    assert.equal((await logAfterGrant(ledger)).length, 10);
  });
}

function registerLateSettles({ test }: LedgerSuite): void {
  test('charges a settle that comes late, once, and marks it', async (under, ledger) => {
    await ledger.expireHolds(await holdForAMinute(under));
    const ending = await ledger.settle('hold-1', chargeOf({ cost: 12n, losses: TWO_LOSSES }));
    assert.deepEqual({ ...ending }, { status: 'settled', cost: 12n, first: true });
    await assertOrganization(ledger, { credits: 100n, usage: 12n });
    await assertKey(ledger, { usage: 12n });
    const log = await logAfterGrant(ledger);
    const late = { model: 'exa/answer-fast', provider: 'exa', costSource: 'reported', late: true };
    assert.deepEqual(log[0], { kind: 'charge', id: 'hold-1', ...owner, amount: 12n, ...late });
    assert.deepEqual(log.map(({ id }) => id).slice(1), ['hold-1.expired', 'hold-1.loss.1', 'hold-1.loss.2']);
    await assertNoChange(ledger, async () => {
      const repeated = { status: 'settled', cost: 12n, first: false };
      assert.deepEqual({ ...(await ledger.settle('hold-1', chargeOf())) }, repeated);
      assert.deepEqual({ ...(await ledger.release('hold-1', RELEASE)) }, repeated);
      assert.equal(await ledger.expireHolds(under.now() + 2 * MINUTE_MS), 0);
    });
  });
}

const releaseWithLosses = (ledger: Ledger) => ledger.release('hold-1', { ...RELEASE, losses: TWO_LOSSES });

const RELEASED = { status: 'released', cost: 0n, first: true } as const;
const LOST = TWO_LOSSES.map(({ cost: lost, ...attempt }, index) => {
  return { kind: 'loss', id: `hold-1.loss.${index + 1}`, ...owner, amount: lost, ...attempt } as const;
});

function registerLateReleases({ test }: LedgerSuite): void {
  test('books the losses of a release that comes late, once, and changes no balance', async (under, ledger) => {
    await ledger.expireHolds(await holdForAMinute(under));
    assert.deepEqual({ ...(await releaseWithLosses(ledger)) }, RELEASED);
    await assertOrganization(ledger, { credits: 100n });
    await assertKey(ledger, {});
    assert.deepEqual(await logAfterGrant(ledger), [EXPIRED, ...LOST]);
    await assertUsageOfLog(ledger);
    await assertNoChange(ledger, async () => {
      assert.deepEqual({ ...(await releaseWithLosses(ledger)) }, { ...RELEASED, first: false });
      const settled = await ledger.settle('hold-1', chargeOf({ losses: TWO_LOSSES }));
      assert.deepEqual({ ...settled }, { ...RELEASED, first: false });
      assert.equal(await ledger.expireHolds(under.now() + 2 * MINUTE_MS), 0);
    });
  });

  test('ends an expired hold by a release without losses too, and writes nothing', async (under, ledger) => {
    await ledger.expireHolds(await holdForAMinute(under));
    await assertNoChange(ledger, async () => {
      assert.deepEqual({ ...(await ledger.release('hold-1', RELEASE)) }, RELEASED);
      assert.deepEqual({ ...(await ledger.settle('hold-1', chargeOf())) }, { ...RELEASED, first: false });
      assert.deepEqual({ ...(await releaseWithLosses(ledger)) }, { ...RELEASED, first: false });
    });
  });
}

function registerLateRaces({ test, supports }: LedgerSuite): void {
  test('charges once when settles and sweeps race', async (under, ledger) => {
    const expiresAtMs = await holdForAMinute(under);
    const settle = () => ledger.settle('hold-1', chargeOf());
    const sweep = () => ledger.expireHolds(expiresAtMs);
    await Promise.all([sweep(), settle(), sweep(), settle(), settle(), sweep()]);
    await assertOrganization(ledger, { credits: 100n, usage: 7n });
    const charges = (await logAfterGrant(ledger)).filter(({ kind }) => kind === 'charge');
    assert.equal(charges.length, 1);
  });

  test('books the losses of a late release once when 16 come at once', async (under) => {
    const { ledger, connect } = under;
    await ledger.expireHolds(await holdForAMinute(under));
    const other = supports.connections === true && connect !== undefined ? await connect() : ledger;
    const handles = Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? ledger : other));
    const endings = await Promise.all(handles.map(releaseWithLosses));
    assert.equal(endings.filter(({ first }) => first).length, 1);
    for (const { status, cost } of endings) assert.deepEqual({ status, cost, first: true }, RELEASED);
    assert.deepEqual(await logAfterGrant(ledger), [EXPIRED, ...LOST]);
    await assertOrganization(ledger, { credits: 100n });
  });

  test('ends an expired hold once when late settles and late releases race', async (under, ledger) => {
    await ledger.expireHolds(await holdForAMinute(under));
    const settle = () => ledger.settle('hold-1', chargeOf({ losses: TWO_LOSSES }));
    const endings = await Promise.all(
      Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? settle() : releaseWithLosses(ledger))),
    );
    const [first, ...others] = endings.filter((ending) => ending.first);
    assert.deepEqual(others, []);
    for (const { status, cost } of endings) assert.deepEqual({ status, cost, first: true }, { ...first });
    await assertOrganization(ledger, { credits: 100n, usage: first?.cost ?? 0n });
    const losses = (await logAfterGrant(ledger)).filter(({ kind }) => kind === 'loss');
    assert.deepEqual(losses, LOST);
  });
}
