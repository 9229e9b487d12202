import { type Contender, type Engine, LEDGER, type References } from './engines/engine.js';
import { ALONE, isSameCase, LEDGER_CASES, type LedgerCase, type PairSample } from './ledger-case.js';
import type { RoundTrips } from './loads/ledger-load.js';

export interface Drive {
  readonly rounds: number;
  readonly durationMs: number;
}

/** One contender in one case, by round; round n of one ran next to round n of every other. */
export interface Series extends LedgerCase {
  readonly contender: string;
  readonly samples: readonly PairSample[];
}

/** Everything measured of one engine. */
export interface EngineResult {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly settings: string;
  readonly notes: readonly string[];
  readonly references: References;
  readonly series: readonly Series[];
  readonly roundTrips: readonly RoundTrips[];
}

const WARM_UP_MS = 300;
const ROUND_TRIPS_MS = 200;

/** Case by case, in each the ledger and then its floor, again and again. The first time round, shorter, is warm-up. */
export async function measureEngine(
  { id, name }: { readonly id: string; readonly name: string },
  engine: Engine,
  { rounds, durationMs }: Drive,
): Promise<EngineResult> {
  const turns = LEDGER_CASES.flatMap((each) =>
    engine.contenders
      .filter((contender) => contender.takes(each))
      .map((contender) => ({ contender, each, samples: [] as PairSample[] })),
  );
  const roundTrips: RoundTrips[] = [];
  for (const { contender, each } of turns) await contender.pairs({ ...each, durationMs: WARM_UP_MS });
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, each, samples } of turns) {
      // Next to the pairs they are compared with.
      if (contender.name === LEDGER && isSameCase(each, ALONE)) {
        roundTrips.push(await engine.roundTrips(ROUND_TRIPS_MS));
      }
      samples.push(await contender.pairs({ ...each, durationMs }));
    }
  }
  await engine.verify();
  const series = turns.map(({ contender, each, samples }) => seriesOf(contender, each, samples));
  const { notes, references, description } = engine;
  return { id, name, ...description, notes, references, series, roundTrips };
}

function seriesOf({ name }: Contender, each: LedgerCase, samples: readonly PairSample[]): Series {
  return { contender: name, ...each, samples };
}
