import type { Ledger } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';

/** A ledger over a connection of its own, and that connection by itself. */
export interface OpenedLedger {
  readonly ledger: Ledger & Partial<Pick<DurableLedger, 'migrate' | 'audit'>>;
  /** What the engine says of itself. */
  describe(): Promise<EngineDescription>;
  /** Asks the engine for nothing at all and waits for the answer; null where there is nobody to ask. */
  readonly ask: (() => Promise<unknown>) | null;
  /** Lets the engine keep one small row as durably as the ledger's; null where nothing is kept. */
  readonly keep: (() => Promise<unknown>) | null;
  /** What the ledger takes up now: of disk or of memory. */
  storedBytes(): Promise<number>;
}

export interface EngineDescription {
  readonly version: string;
  /** The settings that durability depends on, as the engine has them now. */
  readonly settings: string;
}
