import type { DurableLedger } from '@searchgate/core/ledger';

/** A ledger, and how to end the connection that was opened for it. */
export interface ConnectedLedger {
  readonly ledger: DurableLedger;
  disconnect(): Promise<void>;
}
