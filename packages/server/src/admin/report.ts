/** What a command found out or did, for people and for scripts. */
export interface Report {
  readonly text: string;
  /** Plain JSON: amounts are decimal strings of US dollars, times ISO date-times. */
  readonly json: unknown;
  /** The command worked, and what it found is bad. Default false. */
  readonly isBad?: boolean;
}
