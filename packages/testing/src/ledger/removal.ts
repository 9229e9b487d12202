import assert from 'node:assert/strict';
import { type Ledger, type LedgerEntry, USAGE_GROUPS } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries, sum } from './observe.js';
import { assertAudited, cursorOf, keptOf, removalOf } from './observe-removal.js';
import { allUsage } from './observe-usage.js';
import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE, TWO_LOSSES } from './requests.js';

/** Charges, losses, expiries, grants and corrections of two organizations and three keys, on several days if the clock can be moved. */
async function writeLog({ ledger, now, advance }: LedgerUnderTest, rounds = 4): Promise<LedgerEntry[]> {
  for (let round = 0; round < rounds; round += 1) {
    for (const organizationId of ['acme', 'globex']) {
      const id = `${organizationId}.${round}`;
      const owner = { organizationId, keyId: round % 2 === 0 ? 'shared' : `${organizationId}-a` };
      await ledger.grant(grantOf({ grantId: id, organizationId }));
      await ledger.hold(holdOf({ holdId: id, ...owner, tag: `team-${round}` }));
      await ledger.settle(id, chargeOf({ losses: TWO_LOSSES }));
      await ledger.adjust(adjustmentOf({ adjustmentId: id, ...owner, amount: BigInt(round) - 2n }));
      await ledger.hold(holdOf({ holdId: `${id}.expired`, ...owner, expiresAtMs: now() }));
      await ledger.expireHolds(now());
      if (round % 2 === 0) await ledger.settle(`${id}.expired`, chargeOf());
    }
    await advance?.(86_400_000);
  }
  return allEntries(ledger);
}

/** All figures that removal must not change. */
async function figures(ledger: Ledger): Promise<unknown> {
  const found: unknown[] = [];
  for (const by of USAGE_GROUPS) {
    found.push(await allUsage(ledger, { by }), await allUsage(ledger, { by, keyId: 'shared' }));
  }
  for (const id of ['acme', 'globex']) found.push({ ...(await ledger.organizationTotals(id)) });
  for (const id of ['shared', 'acme-a', 'globex-a']) {
    for (const reset of [null, 'daily', 'weekly', 'monthly'] as const) {
      found.push({ ...(await ledger.keyTotals(id, reset)) });
    }
  }
  for (const id of ['acme.0', 'globex.1.expired']) found.push({ ...(await ledger.findHold(id)) });
  return found;
}

/**
 * Removal of old entries: all entries before an index except grants and adjustments; counters and sums stay, an audit stays correct, and a
 * reader of the log continues with the remaining entries.
 */
export function registerRemoval(suite: LedgerSuite): void {
  if (suite.supports.removal !== true) return;
  suite.describe('removal of entries', () => {
    registerRemoved(suite);
    registerReadingAfterRemoval(suite);
    registerRemovalArguments(suite);
    registerRemovalUnderLoad(suite);
  });
}

function registerRemoved({ test, testWith }: LedgerSuite): void {
  test('removes the entries before a cursor, except grants and adjustments', async (under) => {
    const log = await writeLog(under);
    for (const index of [1, 2, 7, Math.ceil(log.length / 2), log.length - 1]) {
      const before = await allEntries(under.ledger);
      const place = log[index] as LedgerEntry;
      const at = before.findIndex(({ kind, id }) => kind === place.kind && id === place.id);
      const removed = at <= 0 ? 0 : await removalOf(under).removeEntries(await cursorOf(under.ledger, at));
      const left = await allEntries(under.ledger);
      assert.deepEqual(left, keptOf(log, index), `before ${place.id}`);
      assert.equal(removed, before.length - left.length);
      await assertAudited(removalOf(under));
    }
  });

  test('changes no counter, no sum and no hold', async (under) => {
    const log = await writeLog(under);
    const before = await figures(under.ledger);
    await removalOf(under).removeEntries(await cursorOf(under.ledger, log.length - 1));
    assert.deepEqual(await figures(under.ledger), before);
    const repeated = await under.ledger.settle('acme.0', chargeOf({ cost: 99n }));
    assert.deepEqual({ ...repeated }, { status: 'settled', cost: 7n, first: false });
    assert.deepEqual(await under.ledger.grant(grantOf({ grantId: 'acme.0' })), { applied: false });
    const adjustment = adjustmentOf({ adjustmentId: 'acme.0', keyId: 'shared', amount: -2n });
    assert.deepEqual(await under.ledger.adjust(adjustment), { applied: false });
    assert.deepEqual(await figures(under.ledger), before);
  });

  test('removes nothing twice, and nothing before an older cursor', async (under) => {
    const log = await writeLog(under);
    const early = await cursorOf(under.ledger, 3);
    const middle = await cursorOf(under.ledger, Math.ceil(log.length / 2));
    assert.ok((await removalOf(under).removeEntries(middle)) > 0);
    assert.equal(await removalOf(under).removeEntries(middle), 0);
    assert.equal(await removalOf(under).removeEntries(early), 0);
    assert.deepEqual(await allEntries(under.ledger), keptOf(log, Math.ceil(log.length / 2)));
    await assertAudited(removalOf(under));
  });

  test('records the losses of a late release once, even if its expiry was removed', async (under, ledger) => {
    const log = await writeLog(under);
    await removalOf(under).removeEntries(await cursorOf(ledger, log.length - 1));
    const left = await allEntries(ledger);
    const release = () => ledger.release('acme.1.expired', { ...RELEASE, losses: TWO_LOSSES });
    assert.deepEqual({ ...(await release()) }, { status: 'released', cost: 0n, first: true });
    const lost = (await allEntries(ledger)).slice(left.length);
    assert.deepEqual(
      lost.map(({ id }) => id),
      ['acme.1.expired.loss.1', 'acme.1.expired.loss.2'],
    );
    await removalOf(under).removeEntries(await cursorOf(ledger, left.length + 1));
    const before = await figures(ledger);
    assert.deepEqual({ ...(await release()) }, { status: 'released', cost: 0n, first: false });
    assert.deepEqual(await figures(ledger), before);
    await assertAudited(removalOf(under));
  });

  test('goes on with charges, audits and more removals', async (under) => {
    await writeLog(under, 2);
    for (let round = 0; round < 3; round += 1) {
      const { ledger } = under;
      for (let call = 0; call < 5; call += 1) {
        const holdId = `more-${round}-${call}`;
        await ledger.hold(holdOf({ holdId, keyId: 'shared', amount: 1n }));
        await ledger.settle(holdId, chargeOf({ cost: 1n }));
      }
      const { length } = await allEntries(ledger);
      assert.ok((await removalOf(under).removeEntries(await cursorOf(ledger, length - 2))) > 0);
      await assertAudited(removalOf(under));
      await under.advance?.(13 * 86_400_000);
    }
    const rows = await allUsage(under.ledger, { by: 'key' });
    // Of each organization one settled and one expired, and three times five.
    assert.equal(rows.find(({ group }) => group === 'shared')?.charges, 19);
  });

  testWith('reopen', 'keeps removals and counts when reopened', async (under) => {
    const log = await writeLog(under);
    await removalOf(under).removeEntries(await cursorOf(under.ledger, 9));
    const before = await figures(under.ledger);
    const reopened = await under.reopen();
    assert.deepEqual(await allEntries(reopened), keptOf(log, 9));
    assert.deepEqual(await figures(reopened), before);
  });
}

function registerReadingAfterRemoval({ test }: LedgerSuite): void {
  test('lists the remaining entries by organization, key and time, in pages of any size', async (under) => {
    const log = await writeLog(under);
    await removalOf(under).removeEntries(await cursorOf(under.ledger, 11));
    const kept = keptOf(log, 11);
    const times = [...new Set(log.map(({ atMs }) => atMs))];
    const owners = [{}, { organizationId: 'acme' }, { keyId: 'shared' }, { organizationId: 'globex', keyId: 'shared' }];
    for (const limit of [1, 3, 1_000]) {
      for (const owner of owners) {
        for (const fromMs of [undefined, times[0], times.at(-1)]) {
          const expected = kept
            .filter(({ organizationId }) => (owner.organizationId ?? organizationId) === organizationId)
            .filter(({ keyId }) => (owner.keyId ?? keyId) === keyId)
            .filter(({ atMs }) => fromMs === undefined || atMs >= fromMs);
          const query = { ...owner, limit, ...(fromMs !== undefined && { fromMs }) };
          assert.deepEqual(await allEntries(under.ledger, query), expected, JSON.stringify(query));
        }
      }
    }
  });

  test('continues a walk at the next remaining entry if its next entry was removed', async (under) => {
    const log = await writeLog(under);
    const cursors = await Promise.all(Array.from({ length: 12 }, (_, index) => cursorOf(under.ledger, index + 1)));
    const ofKey = await under.ledger.entries({ keyId: 'shared', limit: 2 });
    await removalOf(under).removeEntries(await cursorOf(under.ledger, 15));
    const kept = keptOf(log, 15);
    for (const [index, cursor] of cursors.entries()) {
      const expected = kept.filter(
        (entry) => log.findIndex(({ kind, id }) => kind === entry.kind && id === entry.id) > index,
      );
      assert.deepEqual(await allEntries(under.ledger, { cursor }), expected, `from place ${index + 1}`);
    }
    const seen = log.filter(({ keyId }) => keyId === 'shared').slice(0, 2);
    const rest = await allEntries(under.ledger, { keyId: 'shared', cursor: ofKey.nextCursor ?? 'none' });
    const isUnseen = (entry: LedgerEntry) => !seen.some(({ kind, id }) => kind === entry.kind && id === entry.id);
    assert.deepEqual(rest, kept.filter(({ keyId }) => keyId === 'shared').filter(isUnseen));
  });
}

function registerRemovalArguments({ test }: LedgerSuite): void {
  test('refuses an invalid cursor, and removes nothing', async (under) => {
    const log = await writeLog(under, 1);
    for (const cursor of ['', 'nonsense', '-1', '1e3', '99999999999999999999', "' or 1=1 --"]) {
      await assertRefused('invalid_cursor', () => removalOf(under).removeEntries(cursor));
    }
    assert.deepEqual(await allEntries(under.ledger), log);
  });

  test('refuses to remove or to audit once it is closed', async (under) => {
    await writeLog(under, 1);
    const cursor = await cursorOf(under.ledger, 3);
    await under.ledger.close();
    await assertRefused('ledger_closed', () => removalOf(under).removeEntries(cursor));
    await assertRefused('ledger_closed', () => removalOf(under).audit());
  });

  test('removes nothing from a log of grants and adjustments', async (under, ledger) => {
    for (const id of ['1', '2', '3']) await ledger.grant(grantOf({ grantId: id }));
    await ledger.adjust(adjustmentOf());
    await ledger.release('unknown', RELEASE).catch(() => undefined);
    assert.equal(await removalOf(under).removeEntries(await cursorOf(ledger, 3)), 0);
    await assertAudited(removalOf(under));
  });
}

/** Charges `count` holds, 50 at a time. */
async function charge(handles: readonly Ledger[], name: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 50) {
    const numbers = Array.from({ length: Math.min(50, count - first) }, (_, index) => first + index);
    await Promise.all(
      numbers.map(async (number) => {
        const ledger = handles[number % handles.length] as Ledger;
        const holdId = `${name}-${number}`;
        await ledger.hold(holdOf({ holdId, keyId: `key-${number % 3}`, amount: 1n }));
        await ledger.settle(holdId, chargeOf({ cost: 1n }));
      }),
    );
  }
}

/** Removal during parallel operations. */
function registerRemovalUnderLoad({ funded, test, supports }: LedgerSuite): void {
  test('removes during charges through every handle, and loses none', async (under) => {
    const { ledger, connect } = under;
    const handles = supports.connections === true && connect !== undefined ? [ledger, await connect()] : [ledger];
    await ledger.grant(grantOf({ amount: 10_000n }));
    await charge(handles, 'before', 600);
    const cursor = await cursorOf(ledger, 501);
    const [removed] = await Promise.all([removalOf(under).removeEntries(cursor), charge(handles, 'beside', 200)]);
    assert.equal(removed, 500);
    assert.equal((await allEntries(ledger)).length, 301);
    const rows = await allUsage(ledger, { by: 'organization' });
    assert.deepEqual([rows[0]?.charges, rows[0]?.charged], [800, 800n]);
    await assertAudited(removalOf(under));
  });

  funded(10_000n, 'removes entries once in two parallel removals', async (under, ledger) => {
    await charge([ledger], 'before', 400);
    const [early, late] = [await cursorOf(ledger, 201), await cursorOf(ledger, 301)];
    const removals = [early, late, late].map((cursor) => removalOf(under).removeEntries(cursor));
    const counts = await Promise.all(removals);
    assert.equal(sum(counts), 300);
    assert.equal((await allEntries(ledger)).length, 101);
    await assertAudited(removalOf(under));
  });

  funded(10_000n, 'never audits wrongly while entries are removed', async (under, ledger) => {
    await charge([ledger], 'before', 600);
    const removing = removalOf(under).removeEntries(await cursorOf(ledger, 501));
    // An audit of a log that is cut during the audit must fail, and may be repeated.
    const audits = await Promise.allSettled([removalOf(under).audit(), charge([ledger], 'beside', 50)]);
    await removing;
    for (const audit of audits) {
      if (audit.status === 'rejected') assert.ok(audit.reason instanceof Error);
      else if (audit.value !== undefined) assert.deepEqual(audit.value.differences, []);
    }
    await assertAudited(removalOf(under));
  });
}
