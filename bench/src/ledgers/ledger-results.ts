import type { Environment } from '../environment.js';
import type { EngineGrowth } from './growth/growth-sample.js';
import type { Drive, EngineResult } from './measure-engine.js';
import type { Flush } from './measure-flush.js';

/** Everything a run has measured, as it is kept in `results/`. */
export interface LedgerResults {
  readonly environment: Environment;
  /** Over the run's last minute, the run's own work included. */
  readonly loadAverageAtEnd: number;
  readonly drive: Drive;
  readonly flush: Flush;
  readonly engines: readonly EngineResult[];
  readonly growth: readonly EngineGrowth[];
  /** Engines that could not take part, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}
