/** The result of an audit. */
export interface AuditReport {
  /** How many were compared. */
  readonly organizations: number;
  /** How many were compared. */
  readonly keys: number;
  /** How many entries of the log were read. */
  readonly entries: number;
  /** How many were summed up. */
  readonly openHolds: number;
  /** Empty if every counter equals the log. */
  readonly differences: readonly AuditDifference[];
}

/** A counter that differs from the log. */
export interface AuditDifference {
  /** Whose counter it is. */
  readonly subject: 'organization' | 'key';
  /** Of the organization or the key. */
  readonly id: string;
  /**
   * `inFlight` is the number of open holds that use a slot. `day`, `week` and `month` are a key's usage in its latest window of that length. `sums`
   * compares the usage with the sums of `usage`, which include entries removed from the log.
   */
  readonly counter: 'credits' | 'usage' | 'held' | 'inFlight' | 'day' | 'week' | 'month' | 'sums';
  /** Nanodollars; for `inFlight` a number of open holds. */
  readonly counted: bigint;
  /** The same by the log or the open holds. */
  readonly recomputed: bigint;
}
