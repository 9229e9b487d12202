import { type Ledger, MAX_NANO_USD } from '@searchgate/core';
import { createFakeClock } from '@searchgate/core/testing';
import { describe, expect, it } from 'vitest';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './examples.js';
import { migratedDatabase } from './migrated-database.js';

const database = migratedDatabase();
const TOO_MUCH = { reason: 'invalid_amount' };
const MOST = 2n ** 63n - 1n;

async function grantTo(ledger: Ledger, organizationId: string): Promise<void> {
  await ledger.grant(grantOf({ grantId: `${organizationId}-1`, organizationId, amount: MAX_NANO_USD }));
  await ledger.grant(grantOf({ grantId: `${organizationId}-2`, organizationId, amount: MAX_NANO_USD - 1n }));
}

describe('counters of 64 bits', () => {
  it('hold credits up to 2^63 − 1 and refuse a nanodollar more', async () => {
    const ledger = database().ledger();
    await grantTo(ledger, 'acme');
    expect((await ledger.organizationTotals('acme')).credits).toBe(MOST);
    await expect(ledger.grant(grantOf({ amount: 1n }))).rejects.toMatchObject(TOO_MUCH);
    expect(await ledger.grant(grantOf({ grantId: 'nothing', amount: 0n }))).toEqual({ applied: true });
    expect(await ledger.audit()).toMatchObject({ entries: 3, differences: [] });
  });

  it('refuse usage beyond 2^63 − 1 and leave the hold open for its true cost', async () => {
    const ledger = database().ledger();
    await grantTo(ledger, 'acme');
    await ledger.hold(holdOf({ amount: 1n }));
    await ledger.adjust(adjustmentOf({ adjustmentId: 'up-1', amount: MAX_NANO_USD }));
    await ledger.adjust(adjustmentOf({ adjustmentId: 'up-2', amount: MAX_NANO_USD - 1n }));
    await expect(ledger.settle('hold-1', chargeOf({ cost: 1n }))).rejects.toMatchObject(TOO_MUCH);
    await expect(ledger.adjust(adjustmentOf({ adjustmentId: 'up-3', amount: 1n }))).rejects.toMatchObject(TOO_MUCH);
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: MOST, usage: MOST, held: 1n });
    expect(await ledger.settle('hold-1', chargeOf({ cost: 0n }))).toEqual({ status: 'settled', cost: 0n, first: true });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('refuse usage below −2^63', async () => {
    const ledger = database().ledger();
    for (const adjustmentId of ['down-1', 'down-2']) {
      await ledger.adjust(adjustmentOf({ adjustmentId, keyId: 'key-1', amount: -MAX_NANO_USD }));
    }
    const one = adjustmentOf({ adjustmentId: 'down-3', amount: -1n });
    await expect(ledger.adjust(one)).rejects.toMatchObject(TOO_MUCH);
    await expect(ledger.adjust({ ...one, organizationId: 'globex', keyId: 'key-1' })).rejects.toMatchObject(TOO_MUCH);
    expect((await ledger.keyTotals('key-1')).usage).toBe(-(2n ** 63n));
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('refuse what is held beyond 2^63 − 1, over all organizations of a key', async () => {
    const ledger = database().ledger();
    for (const organizationId of ['acme', 'globex']) await grantTo(ledger, organizationId);
    await ledger.hold(holdOf({ holdId: 'a', amount: MAX_NANO_USD }));
    await ledger.hold(holdOf({ holdId: 'b', amount: MAX_NANO_USD - 1n }));
    const other = holdOf({ holdId: 'c', organizationId: 'globex', amount: 1n });
    await expect(ledger.hold(other)).rejects.toMatchObject(TOO_MUCH);
    expect(await ledger.hold({ ...other, keyId: 'key-2' })).toEqual({ status: 'held' });
  });

  it('tell the usage of a window beyond 64 bits', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock });
    const amounts = [-MAX_NANO_USD, -MAX_NANO_USD, MAX_NANO_USD, MAX_NANO_USD, MAX_NANO_USD, MAX_NANO_USD - 1n];
    for (const [index, amount] of amounts.entries()) {
      if (index === 2) await clock.advance(86_400_000);
      await ledger.adjust(adjustmentOf({ adjustmentId: `step-${index}`, keyId: 'key-1', amount }));
    }
    const windowUsage = 2n ** 64n - 1n;
    expect(await ledger.keyTotals('key-1', 'daily')).toEqual({ usage: MOST, held: 0n, windowUsage });
    const refused = await ledger.hold(holdOf({ keyLimit: MAX_NANO_USD, keyLimitReset: 'daily' }));
    expect(refused).toMatchObject({ status: 'refused', by: 'key_limit', usage: windowUsage });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('end a sweep that meets a charge they have no room for, and keep that hold', async () => {
    const ledger = database().ledger();
    await grantTo(ledger, 'acme');
    await grantTo(ledger, 'globex');
    const past = Date.now() - 60_000;
    await ledger.hold(holdOf({ holdId: 'stuck', amount: 1n, expiresAtMs: past }));
    await ledger.hold(holdOf({ holdId: 'fine', organizationId: 'globex', keyId: 'key-2', expiresAtMs: past }));
    await ledger.adjust(adjustmentOf({ adjustmentId: 'up-1', amount: MAX_NANO_USD }));
    await ledger.adjust(adjustmentOf({ adjustmentId: 'up-2', amount: MAX_NANO_USD - 1n }));
    expect(await ledger.expireHolds(Date.now(), 'charge')).toBe(1);
    expect((await ledger.organizationTotals('acme')).held).toBe(1n);
    expect(await ledger.expireHolds(Date.now())).toBe(1);
  });
});
