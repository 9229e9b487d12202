import { afterEach, expect, it } from 'vitest';
import { createStorage } from './storage.js';

const storage = createStorage();
afterEach(() => storage.dispose());

it('frees an expired hold that the counter of its key has no room to charge', async () => {
  const ledger = await storage.connect();
  const organizationId = 'acme';
  const half = 2n ** 62n;
  await ledger.grant({ grantId: 'grant', organizationId, amount: half, note: '' });
  const hold = {
    holdId: 'hold',
    organizationId,
    keyId: 'key',
    keyLimit: null,
    amount: 1n,
    expiresAtMs: 1,
    model: 'm/m',
  };
  expect(await ledger.hold(hold)).toEqual({ status: 'held', amount: 1n });
  // The key is charged up to the most a counter holds; the organization keeps room.
  await ledger.adjust({ adjustmentId: 'down', organizationId, amount: -half, note: '' });
  for (const [adjustmentId, amount] of [['up', half] as const, ['further-up', half - 1n] as const]) {
    await ledger.adjust({ adjustmentId, organizationId, keyId: 'key', amount, note: '' });
  }
  expect(await ledger.expireHolds(Date.now(), 'charge')).toBe(1);
  expect(await ledger.organizationTotals(organizationId)).toMatchObject({ held: 0n, usage: half - 1n });
  expect(await ledger.keyTotals('key', null)).toMatchObject({ held: 0n, usage: 2n * half - 1n });
});
