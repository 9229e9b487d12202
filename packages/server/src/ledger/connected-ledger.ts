import type { DurableLedger } from '@searchgate/core/ledger';

/** A ledger, and a function that closes its connection. */
export interface ConnectedLedger {
  readonly ledger: DurableLedger;
  disconnect(): Promise<void>;
}
