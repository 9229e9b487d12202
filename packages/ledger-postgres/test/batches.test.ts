import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { someoneWaits, startWriter } from './other-writer.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

const database = migratedDatabase();

/** An operation of another organization. */
const startOther = (operation: object) =>
  startWriter(database(), { organization_id: 'globex', token: randomUUID(), ...operation });

describe('an id that two organizations use at the same moment', () => {
  it('is held once: the second is sent again, and then seen to be used', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf());
    const other = { operation: 'hold', id: 'hold-1', key_id: 'key-2', amount: '0', time_ms: 1, model: 'm' };
    const writer = await startOther(other);
    const held = ledger.hold(holdOf());
    await someoneWaits(database());
    await writer.commit();
    await expect(held).rejects.toMatchObject({ reason: 'duplicate_hold' });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 0n, held: 0n });
    expect(await ledger.audit()).toMatchObject({ openHolds: 1, differences: [] });
  });

  it('is granted to each of them, and neither waits', async () => {
    const ledger = database().ledger();
    const writer = await startOther({ operation: 'grant', id: 'grant-1', amount: '5', note: '' });
    expect(await ledger.grant(grantOf())).toEqual({ applied: true });
    await writer.commit();
    expect(await ledger.audit()).toMatchObject({ entries: 2, differences: [] });
  });
});

describe('a batch', () => {
  it('counts one key for several organizations, and every ending of one hold, as if they had come one after the other', async () => {
    const ledger = database().ledger({ batchers: 1 });
    const organizations = ['acme', 'globex', 'initech'];
    for (const organizationId of organizations)
      await ledger.grant(grantOf({ grantId: organizationId, organizationId }));
    // While this one is on its way, the others wait for each other and are sent together.
    const first = ledger.hold(holdOf({ holdId: 'first', keyMaxConcurrent: 5 }));
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const organizationId = organizations[index % 3] ?? '';
        const keyId = index % 2 === 0 ? 'key-1' : 'key-2';
        return ledger.hold(holdOf({ holdId: `hold-${index}`, organizationId, keyId, keyMaxConcurrent: 5 }));
      }),
    );
    expect((await first).status).toBe('held');
    const held = results.map(({ status }, index) => ({ status, holdId: `hold-${index}` }));
    const ofFirstKey = held.filter(({ status }, index) => status === 'held' && index % 2 === 0);
    expect([held.filter(({ status }) => status === 'held').length, ofFirstKey.length]).toEqual([9, 4]);
    expect((await ledger.audit()).differences).toEqual([]);

    const endings = await Promise.all([
      ledger.grant(grantOf({ grantId: 'another' })),
      ...[1, 2, 3].map(() => ledger.settle('first', chargeOf())),
    ]);
    expect(endings.filter((ending) => 'first' in ending && ending.first)).toHaveLength(1);
    expect((await ledger.keyTotals('key-1')).usage).toBe(7n);
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
