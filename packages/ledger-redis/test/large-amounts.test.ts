import { MAX_NANO_USD } from '@searchgate/core/ledger';
import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
const MOST = 2n ** 63n - 1n;
const overflow = { reason: 'invalid_amount' };

describe.skipIf(server === undefined)(`amounts near the end of 64 bits${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    return (await openLedger(server.url)).ledger;
  };

  test('are held and refused to the nanodollar', async () => {
    const ledger = await open();
    await ledger.grant(grantOf(MAX_NANO_USD));
    const most = { amount: MAX_NANO_USD, keyLimit: MAX_NANO_USD };
    expect(await ledger.hold(holdOf('one-too-many', { ...most, keyLimit: MAX_NANO_USD - 1n }))).toEqual({
      status: 'refused',
      by: 'key_limit',
      limit: MAX_NANO_USD - 1n,
      usage: 0n,
      held: 0n,
      required: MAX_NANO_USD,
      resetsAtMs: null,
      fitsWithoutHolds: false,
    });
    expect(await ledger.hold(holdOf('all', most))).toMatchObject({ status: 'held' });
    expect(await ledger.hold(holdOf('one-more', { amount: 1n }))).toMatchObject({
      by: 'organization_credits',
      limit: MAX_NANO_USD,
      held: MAX_NANO_USD,
      fitsWithoutHolds: true,
    });
    expect(await ledger.settle('all', { ...CHARGE, cost: MAX_NANO_USD - 1n })).toMatchObject({
      cost: MAX_NANO_USD - 1n,
    });
    expect((await ledger.keyTotals('key-1', 'monthly')).windowUsage).toBe(MAX_NANO_USD - 1n);
    expect(await ledger.hold(holdOf('the-last', { amount: 1n }))).toMatchObject({ status: 'held' });
  });

  test('are charged as long as every counter has room, and else change nothing', async () => {
    const ledger = await open();
    await ledger.grant(grantOf(MAX_NANO_USD));
    for (const id of ['a', 'b', 'c']) await ledger.hold(holdOf(id));
    const charge = { ...CHARGE, cost: MAX_NANO_USD };
    await ledger.settle('a', charge);
    await ledger.settle('b', { ...charge, cost: MAX_NANO_USD - 1n });
    const before = await ledger.audit();
    const loss = { model: 'exa/answer', provider: 'exa', cost: 1n, reason: 'upstream_error' };
    await expect(ledger.settle('c', { ...charge, losses: [loss] })).rejects.toMatchObject(overflow);
    const adjustment = { adjustmentId: 'up', organizationId: 'acme', keyId: 'key-1', amount: 1n, note: '' };
    await expect(ledger.adjust(adjustment)).rejects.toMatchObject(overflow);
    expect(await ledger.audit()).toEqual(before);
    expect((await ledger.keyTotals('key-1')).usage).toBe(MOST);
    expect(await ledger.adjust({ ...adjustment, amount: -MAX_NANO_USD })).toEqual({ applied: true });
    expect((await ledger.settle('c', { ...charge, losses: [loss] })).first).toBe(true);
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
