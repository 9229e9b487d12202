import { createFakeClock, ledgerConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import type { Ledger } from './ledger.js';
import { type MemoryLedgerOptions, memoryLedger } from './memory-ledger.js';

ledgerConformance({
  describe,
  it,
  supports: { clock: true },
  create: async () => {
    const clock = createFakeClock();
    const ledger = memoryLedger({ clock });
    return { ledger, ...clock, dispose: () => ledger.close() };
  },
});

const CHARGE = { cost: 1n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
const EXPIRES_AT_MS = Date.UTC(2100, 0, 1);

function hold(ledger: Ledger, holdId: string) {
  const owner = { organizationId: 'acme', keyId: 'key-1', keyLimit: null };
  return ledger.hold({ holdId, ...owner, amount: 1n, expiresAtMs: EXPIRES_AT_MS, model: 'exa/answer' });
}

async function chargeMany(ledger: Ledger, prefix: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await hold(ledger, `${prefix}-${index}`);
    await ledger.settle(`${prefix}-${index}`, CHARGE);
  }
}

describe('memoryLedger', () => {
  it('starts with the given credits, as grants that cannot be applied again', async () => {
    const clock = createFakeClock(1_234);
    const ledger = memoryLedger({ credits: { acme: '25.00', globex: '0.000000001' }, clock });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 25_000_000_000n, usage: 0n, held: 0n });
    expect(await ledger.organizationTotals('globex')).toEqual({ credits: 1n, usage: 0n, held: 0n });
    const again = { grantId: 'initial.acme', organizationId: 'acme', amount: 25_000_000_000n, note: '' };
    expect(await ledger.grant(again)).toEqual({ applied: false });
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    expect(entries).toEqual([
      {
        kind: 'grant',
        id: 'initial.acme',
        organizationId: 'acme',
        keyId: null,
        amount: 25_000_000_000n,
        atMs: 1_234,
        note: 'initial credits',
      },
    ]);
  });

  it.each<[unknown, string]>([
    [{ credits: { acme: '-1' } }, 'memoryLedger.credits.acme: found "-1", expected a decimal USD string'],
    [{ credits: { acme: '0.0000000001' } }, 'memoryLedger.credits.acme: found "0.0000000001", expected a decimal USD'],
    [{ credits: { acme: '9999999999' } }, 'memoryLedger.credits.acme: found "9999999999", expected a decimal USD'],
    [{ credits: { acme: 25 } }, 'memoryLedger.credits.acme: found 25, expected a decimal USD string'],
    [
      { credits: { ['__proto__']: '1' } },
      'memoryLedger.credits.__proto__: found the name "__proto__", expected another',
    ],
    [{ credits: { 'two words': '1' } }, 'memoryLedger.credits["two words"]: found'],
    [{ credits: 'all' }, 'memoryLedger.credits: found "all", expected an object of decimal USD strings'],
    [{ maxEntries: 0 }, 'memoryLedger.maxEntries: found 0, expected a whole number from 1 to 10000000'],
    [{ maxEntries: 1.5 }, 'memoryLedger.maxEntries: found 1.5, expected a whole number from 1 to 10000000'],
    [{ clock: Date }, 'memoryLedger.clock: found a function, expected a clock with now, monotonic and schedule'],
    [{ credit: {} }, 'Did you mean "credits"?'],
    [7, 'memoryLedger: found 7, expected an object such as { credits: '],
  ])('refuses the options %o', (options, message) => {
    const build = () => memoryLedger(options as MemoryLedgerOptions);
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow(message);
  });

  it('takes credits up to the bounds of an amount', async () => {
    const ledger = memoryLedger({ credits: { none: '0', most: '4611686018.427387904' } });
    expect(await ledger.organizationTotals('none')).toMatchObject({ credits: 0n });
    expect(await ledger.organizationTotals('most')).toMatchObject({ credits: 2n ** 62n });
    const tooMuch = { most: '4611686018.427387905' };
    expect(() => memoryLedger({ credits: tooMuch })).toThrow('memoryLedger.credits.most: found');
  });

  it('names the wrong organization', async () => {
    await expect(memoryLedger().organizationTotals('a b')).rejects.toThrow('organizationId: found "a b"');
  });

  it('refuses a late charge that would pass the bounds of totals, and changes nothing', async () => {
    const ledger = memoryLedger();
    await ledger.grant({ grantId: 'grant', organizationId: 'acme', amount: 1n, note: '' });
    await hold(ledger, 'late');
    await ledger.expireHolds(EXPIRES_AT_MS);
    const most = 2n ** 63n - 1n;
    for (const [adjustmentId, amount] of [['first', 2n ** 62n] as const, ['second', 2n ** 62n - 1n] as const]) {
      await ledger.adjust({ adjustmentId, organizationId: 'acme', amount, note: '' });
    }
    await expect(ledger.settle('late', CHARGE)).rejects.toMatchObject({
      reason: 'invalid_amount',
      message: `cost: found ${most + 1n}n, expected a total from -(2^63 - 1) to 2^63 - 1 nanodollars`,
    });
    expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: most });
    expect(await ledger.settle('late', { ...CHARGE, cost: 0n })).toMatchObject({ status: 'settled', first: true });
  });

  describe('with room for few entries', () => {
    it('keeps the newest entries, and counts all entries', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 3 });
      await chargeMany(ledger, 'call', 10);
      const { entries, nextCursor } = await ledger.entries();
      expect(entries.map(({ id }) => id)).toEqual(['call-7', 'call-8', 'call-9']);
      expect(nextCursor).toBeNull();
      expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000_000_000n, usage: 10n, held: 0n });
      expect(await ledger.keyTotals('key-1')).toEqual({ usage: 10n, held: 0n, windowUsage: 10n, resetsAtMs: null });
    });

    it('continues a walk at the oldest remembered entry if the next entry is forgotten', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 3 });
      await chargeMany(ledger, 'early', 2);
      const { nextCursor } = await ledger.entries({ limit: 1 });
      await chargeMany(ledger, 'late', 5);
      const { entries } = await ledger.entries({ cursor: nextCursor ?? 'none' });
      expect(entries.map(({ id }) => id)).toEqual(['late-2', 'late-3', 'late-4']);
    });

    it('remembers as many ended holds as entries, and forgets older ones', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 5 });
      await chargeMany(ledger, 'old', 1);
      await chargeMany(ledger, 'kept', 5);
      expect(await ledger.settle('kept-0', CHARGE)).toEqual({ status: 'settled', cost: 1n, first: false });
      await chargeMany(ledger, 'new', 10);
      await expect(ledger.settle('old-0', CHARGE)).rejects.toMatchObject({ reason: 'unknown_hold' });
      await expect(ledger.release('old-0', { reason: 'late' })).rejects.toMatchObject({ reason: 'unknown_hold' });
      expect(await ledger.findHold('old-0')).toBeUndefined();
      expect(await ledger.findHold('new-9')).toMatchObject({ status: 'settled', provider: 'exa' });
      expect(await hold(ledger, 'old-0')).toMatchObject({ status: 'held' });
    });

    it('keeps the sums of forgotten entries', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 1 });
      await chargeMany(ledger, 'call', 10);
      const [row] = await ledger.usage({ by: 'key' });
      expect(row).toMatchObject({ group: 'key-1', charges: 10, charged: 10n });
    });

    it('forgets a hold that was settled late when its expiry is the oldest ending', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 2 });
      await hold(ledger, 'late');
      await ledger.expireHolds(EXPIRES_AT_MS);
      await chargeMany(ledger, 'second', 1);
      expect(await ledger.settle('late', CHARGE)).toMatchObject({ status: 'settled', first: true });
      expect(await ledger.settle('late', CHARGE)).toMatchObject({ status: 'settled', first: false });
      await chargeMany(ledger, 'third', 1);
      await expect(ledger.settle('late', CHARGE)).rejects.toMatchObject({ reason: 'unknown_hold' });
      expect(await ledger.settle('second-0', CHARGE)).toMatchObject({ status: 'settled', first: false });
    });

    it('never forgets an open hold', async () => {
      const ledger = memoryLedger({ credits: { acme: '1.00' }, maxEntries: 2 });
      await hold(ledger, 'open');
      await chargeMany(ledger, 'call', 50);
      await expect(hold(ledger, 'open')).rejects.toMatchObject({ reason: 'duplicate_hold' });
      expect(await ledger.settle('open', CHARGE)).toMatchObject({ status: 'settled', first: true });
    });

    it('never forgets the ids of grants and adjustments', async () => {
      const ledger = memoryLedger({ maxEntries: 1 });
      const grant = { grantId: 'grant-1', organizationId: 'acme', amount: 100n, note: '' };
      const adjustment = { adjustmentId: 'adjustment-1', organizationId: 'acme', amount: 1n, note: '' };
      await ledger.grant(grant);
      await ledger.adjust(adjustment);
      await chargeMany(ledger, 'call', 10);
      expect(await ledger.grant(grant)).toEqual({ applied: false });
      expect(await ledger.adjust(adjustment)).toEqual({ applied: false });
    });
  });
});
