import type { Measurement } from './drive.js';
import type { Environment } from './environment.js';
import type { EventLoopDelay } from './measurements/event-loop.js';
import type { KeysResult } from './measurements/keys.js';
import type { LedgerRates } from './measurements/ledger.js';
import type { ModelsMeasurement } from './measurements/models.js';
import type { AddedLatency } from './measurements/open-loop.js';
import type { Soak } from './measurements/soak.js';
import type { StartUps } from './measurements/start-up.js';
import type { Mode } from './modes.js';
import type { Server, Skipped } from './stage.js';
import type { TargetId } from './targets.js';

/** By server, one value per round. Round n of one server ran next to round n of every other. */
export type Rounds<Value> = Readonly<Partial<Record<TargetId, readonly Value[]>>>;

/** Everything a run has measured, as it is kept in `results/`. What was not measured is empty or null. */
export interface Results {
  readonly environment: Environment;
  /** Share of all cores that others used during the run; null where the system does not tell. */
  readonly otherWork: number | null;
  readonly mode: Mode;
  readonly skipped: readonly Skipped[];
  readonly saturated: Rounds<Measurement>;
  readonly openLoop: Rounds<AddedLatency>;
  readonly eventLoop: Rounds<EventLoopDelay>;
  readonly models: {
    readonly bytes: number;
    readonly entries: number;
    readonly rounds: Rounds<ModelsMeasurement>;
  } | null;
  readonly startUp: StartUps | null;
  readonly ledger: LedgerRates | null;
  readonly keys: KeysResult | null;
  readonly soaks: readonly Soak[];
}

export function byTarget<Value>(rounds: ReadonlyMap<Server, readonly Value[]> | null): Rounds<Value> {
  return Object.fromEntries([...(rounds ?? [])].map(([{ target }, values]) => [target.id, values]));
}

/** For `JSON.stringify`: figures are kept with as many digits as mean something. */
export function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}
