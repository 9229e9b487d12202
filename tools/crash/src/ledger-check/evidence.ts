import type { Accounts } from '../accounts.js';
import type { AcknowledgedAnswer } from '../ask.js';
import type { UpstreamCall } from '../question-server.js';

/** The facts of a scenario from other sources than the ledger, which is compared with them. */
export interface Evidence extends Accounts {
  readonly acknowledged: readonly AcknowledgedAnswer[];
  readonly upstreamCalls: readonly UpstreamCall[];
  /** When the scenario started, by this machine's clock. */
  readonly startedAtMs: number;
}
