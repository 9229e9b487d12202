import { memoryLedger } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { grantCredits } from './grant-credits.js';

const acme = (credits: string) => [{ id: 'acme', credits }];

describe('grantCredits', () => {
  it('grants nothing twice on a durable ledger', async () => {
    const ledger = memoryLedger();
    await grantCredits(ledger, acme('5.00'));
    await grantCredits(ledger, acme('5.00'));
    await grantCredits(ledger, acme('5'));
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
    expect((await ledger.entries()).entries).toHaveLength(1);
  });

  it('grants once when two processes start at the same time', async () => {
    const ledger = memoryLedger();
    await Promise.all([grantCredits(ledger, acme('5.00')), grantCredits(ledger, acme('5.00'))]);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
  });

  it('never grants both amounts when processes with different amounts start at once', async () => {
    const ledger = memoryLedger();
    await Promise.all([grantCredits(ledger, acme('5.00')), grantCredits(ledger, acme('7.00'))]);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 7_000_000_000n });
  });

  it('counts other grants too', async () => {
    const ledger = memoryLedger();
    await ledger.grant({ grantId: 'by-hand', organizationId: 'acme', amount: 2_000_000_000n, note: '' });
    await grantCredits(ledger, acme('5.00'));
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
  });

  it('grants the difference to a raised amount, with a note in the log', async () => {
    const ledger = memoryLedger();
    await grantCredits(ledger, acme('5.00'));
    await grantCredits(ledger, acme('7.50'));
    const { entries } = await ledger.entries();
    expect(entries.map(({ id, amount }) => [id, amount])).toEqual([
      ['config.from.0', 5_000_000_000n],
      ['config.from.5', 2_500_000_000n],
    ]);
  });

  it('removes no credits after a lowered amount, and reports it', async () => {
    const ledger = memoryLedger();
    expect(await grantCredits(ledger, acme('5.00'))).toEqual([]);
    expect(await grantCredits(ledger, acme('4.00'))).toEqual(['acme']);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
  });

  it('grants nothing to an organization without credits', async () => {
    const ledger = memoryLedger();
    await grantCredits(ledger, acme('0'));
    expect((await ledger.entries()).entries).toEqual([]);
  });
});
