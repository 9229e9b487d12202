import { announceReady, serve } from '../processes/serve.js';
import { type OpenedLedger, openLedger } from './open-ledger.js';
import { grantAll, holdAndSettle, type PairLoad, runCallers, verifyAudit, verifyCharges } from './pairs.js';

let opened: OpenedLedger | undefined;
let done = 0;

function current(): OpenedLedger {
  if (opened === undefined) throw new Error('the ledger was not opened');
  return opened;
}

const ledgerProcess = {
  /** Opens the ledger and gives every organization its credits; a second time, a ledger in memory starts over. */
  async open(target: string) {
    opened = await openLedger(target);
    done = 0;
    await opened.ledger.migrate?.();
    await grantAll(opened.ledger);
    return opened.description;
  },
  pairs({ organizations, ...load }: PairLoad) {
    const { ledger } = current();
    return runCallers(load, () => holdAndSettle(ledger, done++, organizations));
  },
  async roundTrips(durationMs: number): Promise<Record<string, number>> {
    const trips: Record<string, number> = {};
    for (const [name, trip] of Object.entries(current().trips)) {
      trips[name] = (await runCallers({ callers: 1, durationMs }, trip)).p50Ms;
    }
    return trips;
  },
  /** @throws Error when the ledger does not hold exactly what was done. */
  async verify() {
    await verifyCharges(current().ledger, done);
    await verifyAudit(current().ledger);
  },
  /** Of an empty ledger, which it opens and fills. */
  async measureGrowth(target: string, entries: number) {
    opened = await openLedger(target);
    await opened.ledger.migrate?.();
    const { measureFilled } = await import('./growth.js');
    return measureFilled(opened, entries);
  },
};

export type LedgerProcess = typeof ledgerProcess;
serve(ledgerProcess);
announceReady();
