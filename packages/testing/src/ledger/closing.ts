import type { Ledger } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import type { LedgerSuite } from './ledger-suite.js';

import { adjustmentOf, chargeOf, grantOf, holdOf, RELEASE } from './requests.js';

const OPERATIONS: Record<string, (ledger: Ledger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant(grantOf({ grantId: 'grant-2' })),
  adjust: (ledger) => ledger.adjust(adjustmentOf()),
  hold: (ledger) => ledger.hold(holdOf({ holdId: 'hold-2' })),
  admit: (ledger) => ledger.admit(holdOf()),
  ratesUsed: (ledger) => ledger.ratesUsed(holdOf()),
  settle: (ledger) => ledger.settle('hold-1', chargeOf()),
  release: (ledger) => ledger.release('hold-1', RELEASE),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  entries: (ledger) => ledger.entries(),
};

/** Close: afterwards every operation fails with one stable code instead of hanging or half working, and closing again is harmless. */
export function registerClosing({ describe, test }: LedgerSuite): void {
  describe('close', () => {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      test(`refuses ${name} afterwards`, async ({ ledger }) => {
        await ledger.grant(grantOf());
        await ledger.hold(holdOf());
        await ledger.close();
        await assertRefused('ledger_closed', () => operation(ledger));
      });
    }

    test('is harmless twice, one after the other and at once', async ({ ledger }) => {
      await Promise.all([ledger.close(), ledger.close()]);
      await ledger.close();
    });
  });
}
