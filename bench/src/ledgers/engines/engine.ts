import type { LedgerCase, PairSample } from '../ledger-case.js';
import type { RoundTrips } from '../loads/ledger-load.js';
import type { EngineDescription } from '../loads/opened-ledger.js';

/** An engine that runs, with the ledger in it and its own floor beside it. */
export interface Engine {
  readonly description: EngineDescription;
  /** The ledger first. */
  readonly contenders: readonly Contender[];
  /** What the reader must know of how the floor was taken. */
  readonly notes: readonly string[];
  readonly references: References;
  roundTrips(durationMs: number): Promise<RoundTrips>;
  /** @throws Error when what was acknowledged is not what is stored: such a run says nothing. */
  verify(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** Whether it takes part in a case. */
  takes(of: LedgerCase): boolean;
  pairs(load: LedgerCase & { readonly durationMs: number }): Promise<PairSample>;
}

/** Which floors the goals are measured against; null where a goal does not apply. */
export interface References {
  /** What the engine does with many callers on many organizations. */
  readonly engineRate: Reference | null;
  /** What it does on one row with a commit for each call. */
  readonly singleRow: Reference | null;
}

export interface Reference extends LedgerCase {
  readonly contender: string;
}

export const LEDGER = 'ledger';

/** Starts an engine. Whatever it starts is given to `endings`. */
export type StartEngine = (context: EngineContext) => Promise<Engine>;

export interface EngineContext {
  readonly endings: Endings;
  /** A folder of the run's own, removed at its end. */
  readonly scratch: string;
  /** Take the floors through the drivers, also where the engine's own tool is there. */
  readonly driverFloors: boolean;
}

/** What has to be ended, last begun first. */
export interface Endings {
  add(end: () => Promise<unknown>): void;
  endAll(): Promise<void>;
}

export function createEndings(): Endings {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    add: (end) => void ends.push(end),
    async endAll() {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
}
