import { announceReady, serveCommands } from '../../processes/commands.js';
import { grantAll, holdAndSettle, holdId, organizationName } from '../hold-and-settle.js';
import { type LedgerCase, MANY_ORGANIZATIONS, type PairSample } from '../ledger-case.js';
import { runCallers } from '../run-callers.js';
import { openLedger } from './open-ledger.js';
import type { OpenedLedger } from './opened-ledger.js';
import { verifyAudit, verifyCharges } from './verify-books.js';

/** A process with one ledger, named by its first argument: `memory`, `sqlite:<file>`, or the URL of a server. */
export interface PairsCommand extends LedgerCase {
  readonly durationMs: number;
}

/** Half of all round trips took no longer; null where there is none. */
export interface RoundTrips {
  readonly askP50Ms: number | null;
  readonly keepP50Ms: number | null;
}

const target = process.argv[2] ?? '';
let opened: OpenedLedger | undefined;
let done = 0;

function current(): OpenedLedger {
  if (opened === undefined) throw new Error('the ledger was not prepared');
  return opened;
}

serveCommands({
  /** Opens the ledger and gives every organization its credits; a second time, a ledger in memory begins anew. */
  async prepare() {
    opened = await openLedger(target);
    done = 0;
    await opened.ledger.migrate?.();
    await grantAll(opened.ledger, MANY_ORGANIZATIONS);
    return opened.describe();
  },
  async pairs(command): Promise<PairSample> {
    const { organizations, ...load } = command as PairsCommand;
    const { ledger } = current();
    return runCallers(load, () => {
      const index = done++;
      return holdAndSettle(ledger, holdId(index), organizationName(index % organizations));
    });
  },
  async roundTrips(durationMs): Promise<RoundTrips> {
    const { ask, keep } = current();
    const p50Of = async (trip: (() => Promise<unknown>) | null) => {
      if (trip === null) return null;
      const load = { callers: 1, durationMs: durationMs as number };
      return (await runCallers(load, async () => void (await trip()))).p50Ms;
    };
    return { askP50Ms: await p50Of(ask), keepP50Ms: await p50Of(keep) };
  },
  /** @throws Error when the books do not hold exactly what was done. */
  async verify() {
    const { ledger } = current();
    await verifyCharges(ledger, done);
    const report = await ledger.audit?.();
    if (report !== undefined) verifyAudit(report);
  },
});
announceReady();
