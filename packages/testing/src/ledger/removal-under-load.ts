import assert from 'node:assert/strict';
import type { Ledger } from '@searchgate/core/ledger';
import type { LedgerSuite } from './ledger-suite.js';
import { allEntries } from './observe.js';
import { assertAudited, cursorOf, removalOf } from './observe-removal.js';
import { allUsage } from './observe-usage.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

/** Charges so many holds, 50 at once. */
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

/** The part of removal in which others work at the same time. */
export function registerRemovalUnderLoad({ test, supports }: LedgerSuite): void {
  test('removes beside charges of every handle, and loses none', async (under) => {
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

  test('removes once what is removed twice at once', async (under) => {
    const { ledger } = under;
    await ledger.grant(grantOf({ amount: 10_000n }));
    await charge([ledger], 'before', 400);
    const [early, late] = [await cursorOf(ledger, 201), await cursorOf(ledger, 301)];
    const removals = [early, late, late].map((cursor) => removalOf(under).removeEntries(cursor));
    const counts = await Promise.all(removals);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      300,
    );
    assert.equal((await allEntries(ledger)).length, 101);
    await assertAudited(removalOf(under));
  });

  test('never audits wrongly while entries are removed', async (under) => {
    const { ledger } = under;
    await ledger.grant(grantOf({ amount: 10_000n }));
    await charge([ledger], 'before', 600);
    const removing = removalOf(under).removeEntries(await cursorOf(ledger, 501));
    // An audit of a log that is cut while it is read has to fail, and may be repeated.
    const audits = await Promise.allSettled([removalOf(under).audit(), charge([ledger], 'beside', 50)]);
    await removing;
    for (const audit of audits) {
      if (audit.status === 'rejected') assert.ok(audit.reason instanceof Error);
      else if (audit.value !== undefined) assert.deepEqual(audit.value.differences, []);
    }
    await assertAudited(removalOf(under));
  });
}
