import type { LedgerEntry } from '@searchgate/core/ledger';
import { allEntries } from '../ledger-check/read-ledger.js';
import { openLedger } from '../open-ledger.js';

/** The money of an outage in nanodollars, on all sides, and the request log. */
export interface Account {
  /** By the replies of callers, and by those of the upstream. */
  readonly paid: bigint;
  readonly billed: bigint;
  /** By the ledger. */
  readonly charged: bigint;
  readonly lost: bigint;
  readonly differences: number;
  readonly openHolds: number;
  /** The rows of the request log by status, reason, and who answered in several attempts. */
  readonly logged: Readonly<Record<string, number>>;
}

/** Reads the ledger of processes that have ended. */
export async function accountOf(url: string, sides: Pick<Account, 'paid' | 'billed'>): Promise<Account> {
  const { ledger, close } = await openLedger(url);
  const entries = await allEntries(ledger);
  const { differences, openHolds } = await ledger.audit();
  const logged: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await ledger.requests.find({}, { limit: 1_000, cursor });
    for (const { status, reason, rescued, provider, attempted, attemptCount } of rows) {
      const several = `by ${provider} in ${attemptCount} attempts at ${attempted.join(', ')}`;
      const name = [status, reason, rescued && 'rescued', attemptCount > 1 && several].filter(Boolean).join(' ');
      logged[name] = (logged[name] ?? 0) + 1;
    }
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  await close();
  const [charged, lost] = [sumOf(entries, 'charge'), sumOf(entries, 'loss')];
  return { ...sides, charged, lost, differences: differences.length, openHolds, logged };
}

function sumOf(entries: readonly LedgerEntry[], wanted: LedgerEntry['kind']): bigint {
  return entries.reduce((sum, { kind, amount }) => (kind === wanted ? sum + amount : sum), 0n);
}
