/** One way of using a ledger. */
export interface LedgerCase {
  /** How many organizations the pairs go round, each with a key of its own. */
  readonly organizations: number;
  /** How many loops of one process each wait for one verb before the next. */
  readonly callers: number;
}

export const MANY_ORGANIZATIONS = 1_000;
export const MANY_CALLERS = 64;

/** One call at a time, of anybody. */
export const ALONE: LedgerCase = { organizations: MANY_ORGANIZATIONS, callers: 1 };
export const BUSY: LedgerCase = { organizations: MANY_ORGANIZATIONS, callers: MANY_CALLERS };
/** Everybody wants the same row. */
export const HOT: LedgerCase = { organizations: 1, callers: MANY_CALLERS };

export const LEDGER_CASES: readonly LedgerCase[] = [{ organizations: 1, callers: 1 }, HOT, ALONE, BUSY];

export function isSameCase(one: LedgerCase, other: LedgerCase): boolean {
  return one.organizations === other.organizations && one.callers === other.callers;
}

/** What one measured moment of hold + settle pairs gave. */
export interface PairSample {
  readonly pairs: number;
  readonly pairsPerSecond: number;
  readonly p50Ms: number;
  /** Null where the tool cannot tell it of a pair. */
  readonly p99Ms: number | null;
}
