/** What things take in a ledger of a certain size. Of what is done often, half took no longer. */
export interface GrowthSample {
  /** How many answers were charged before. */
  readonly answers: number;
  readonly holdMs: number;
  readonly settleMs: number;
  readonly pages: PageTimes;
  /** Of one of the organizations, by model, all pages together. */
  readonly statementMs: number;
  /** Null where the ledger cannot be audited. */
  readonly audit: Audit | null;
  /** Of the answers since the size before; null where there were none. */
  readonly bytesPerAnswer: number | null;
}

/** Pages of 100 entries, in milliseconds. */
export interface PageTimes {
  readonly first: number;
  /** By a cursor near the end of the log. */
  readonly last: number;
  /** Up to a time soon after the first entries. */
  readonly toEarly: number;
  /** From a time shortly before the last entries. */
  readonly fromLate: number;
}

export interface Audit {
  readonly ms: number;
  /** The longest that a timer of the same process was late meanwhile. */
  readonly longestPauseMs: number;
}

/** One engine at each of its sizes, in order. */
export interface EngineGrowth {
  readonly id: string;
  readonly name: string;
  readonly samples: readonly GrowthSample[];
}
