import { MAX_NANO_USD } from '@searchgate/core';
import { createFakeClock, type FakeClock } from '@searchgate/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chargeOf, grantOf, holdOf } from '../../test/requests.js';
import { createStorage, type Storage } from '../../test/storage.js';
import type { SqliteLedger } from '../index.js';
import { exact } from './exact.js';

let storage: Storage;
let clock: FakeClock;
let ledger: SqliteLedger;

beforeEach(async () => {
  storage = createStorage();
  clock = createFakeClock();
  ledger = await storage.connect({ clock });
});
afterEach(() => storage.dispose());

const INVALID = { reason: 'invalid_amount' };
const MOST = 2n ** 63n - 1n;
const adjust = (adjustmentId: string, amount: bigint, keyId = 'key-1') =>
  ledger.adjust({ adjustmentId, organizationId: 'acme', keyId, amount, note: '' });

it('takes what fits into 64 bits and nothing else', () => {
  expect([exact(MOST), exact(-MOST - 1n)]).toEqual([MOST, -MOST - 1n]);
  expect(() => exact(MOST + 1n)).toThrow('more than 64 bits');
  expect(() => exact(-MOST - 2n)).toThrow('more than 64 bits');
});

it('counts credits up to the last nanodollar of 64 bits, and refuses the one above', async () => {
  await ledger.grant(grantOf({ amount: MAX_NANO_USD }));
  await ledger.grant(grantOf({ grantId: 'grant-2', amount: MAX_NANO_USD - 1n }));
  await expect(ledger.grant(grantOf({ grantId: 'grant-3', amount: 1n }))).rejects.toMatchObject(INVALID);
  expect(await ledger.organizationTotals('acme')).toEqual({ credits: MOST, usage: 0n, held: 0n });
  expect((await ledger.entries()).entries).toHaveLength(2);
});

it('refuses a charge that would overflow, and leaves its hold open', async () => {
  await ledger.grant(grantOf({ amount: MAX_NANO_USD }));
  await ledger.hold(holdOf());
  await adjust('first', MAX_NANO_USD);
  await adjust('second', MAX_NANO_USD - 5n, 'key-2');
  await expect(ledger.settle('hold-1', chargeOf())).rejects.toMatchObject(INVALID);
  expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: MOST - 4n, held: 10n });
  expect(await ledger.settle('hold-1', chargeOf({ cost: 4n }))).toMatchObject({ status: 'settled', first: true });
  expect((await ledger.audit()).differences).toEqual([]);
});

it('refuses what would overflow a key though its organizations have room', async () => {
  for (const organizationId of ['acme', 'globex']) {
    await ledger.grant(grantOf({ grantId: organizationId, organizationId, amount: MAX_NANO_USD }));
  }
  await ledger.hold(holdOf({ amount: MAX_NANO_USD }));
  const second = holdOf({ holdId: 'hold-2', organizationId: 'globex', amount: MAX_NANO_USD });
  await expect(ledger.hold(second)).rejects.toMatchObject(INVALID);
  expect(await ledger.keyTotals('key-1')).toMatchObject({ held: MAX_NANO_USD });
  expect(await ledger.organizationTotals('globex')).toMatchObject({ held: 0n });
  expect(await ledger.hold({ ...second, keyId: 'key-2' })).toEqual({ status: 'held' });
});

it('refuses what would overflow a window though there is room in all time', async () => {
  await adjust('down', -MAX_NANO_USD);
  await clock.advance(40 * 86_400_000);
  await adjust('up', MAX_NANO_USD);
  await expect(adjust('again', MAX_NANO_USD)).rejects.toMatchObject(INVALID);
  expect(await ledger.keyTotals('key-1', 'daily')).toEqual({ usage: 0n, held: 0n, windowUsage: MAX_NANO_USD });
});

it('counts below zero as far', async () => {
  await adjust('first', -MAX_NANO_USD);
  await adjust('second', -MAX_NANO_USD);
  await expect(adjust('third', -1n)).rejects.toMatchObject(INVALID);
  expect(await ledger.keyTotals('key-1', 'monthly')).toEqual({ usage: -MOST - 1n, held: 0n, windowUsage: -MOST - 1n });
  expect(await ledger.hold(holdOf({ amount: MAX_NANO_USD, keyLimit: 0n }))).toEqual({ status: 'held' });
});
