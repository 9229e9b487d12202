import type { Accounts } from '../accounts.js';
import type { AcknowledgedAnswer } from '../ask.js';
import type { UpstreamCall } from '../question-server.js';

/** What is known of a scenario without asking the ledger. The ledger is compared with it. */
export interface Evidence extends Accounts {
  readonly acknowledged: readonly AcknowledgedAnswer[];
  readonly upstreamCalls: readonly UpstreamCall[];
  /** When the scenario began, by the clock of this machine. */
  readonly startedAtMs: number;
}
