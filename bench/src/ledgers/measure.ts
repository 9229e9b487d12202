import { type Child, startChild } from '../processes/child.js';
import type { Engine, RunningEngine } from './engines.js';
import type { GrowthSample } from './growth.js';
import type { LedgerProcess } from './ledger-process.js';
import { ALONE, LEDGER_CASES, type LedgerCase, type PairSample } from './pairs.js';

export const LEDGER = '**ledger**';
const WARM_UP_MS = 300;
const ROUND_TRIPS_MS = 200;

/** One contender in one case, by round; round n of one ran next to round n of every other. */
export interface Series extends LedgerCase {
  readonly contender: string;
  readonly samples: PairSample[];
}

export interface PairsResult extends Pick<Engine, 'id' | 'name' | 'references'> {
  readonly description: string;
  readonly series: readonly Series[];
  /** Median milliseconds by round and name. */
  readonly roundTrips: readonly Readonly<Record<string, number>>[];
}

export interface GrowthResult extends Pick<Engine, 'id' | 'name'> {
  readonly samples: readonly GrowthSample[];
}

/** Case by case, in each the ledger and then its floor, again and again. The first round, which is shorter, is warm-up. */
export async function measurePairs(
  { id, name, references, start }: Engine,
  scratch: string,
  { rounds, durationMs }: { readonly rounds: number; readonly durationMs: number },
): Promise<PairsResult | Unavailable> {
  return withEngine(
    () => start(scratch, 'pairs'),
    async ({ target, startFloor }, { call }) => {
      const description = await call.open(target);
      const floor = await startFloor();
      const series: Series[] = LEDGER_CASES.flatMap((each) => [
        { ...each, contender: LEDGER, samples: [] },
        ...(floor === null ? [] : [{ ...each, contender: floor.nameFor(each), samples: [] }]),
      ]);
      const roundTrips: Record<string, number>[] = [];
      const take = async ({ contender, organizations, callers }: Series, ms: number): Promise<PairSample> => {
        const load = { organizations, callers, durationMs: ms };
        if (contender !== LEDGER && floor !== null) return floor.pairs(load);
        // What a ledger in memory has kept of earlier cases would count in the later ones.
        if (target === 'memory') await call.open(target);
        return call.pairs(load);
      };
      try {
        for (const each of series) await take(each, WARM_UP_MS);
        for (let round = 0; round < rounds; round += 1) {
          // Next to the pairs they are compared with.
          for (const each of series) {
            if (isCase(each, LEDGER, ALONE)) roundTrips.push(await call.roundTrips(ROUND_TRIPS_MS));
            each.samples.push(await take(each, durationMs));
          }
        }
        await call.verify();
        await floor?.verify();
      } finally {
        await floor?.stop();
      }
      return { id, name, references, description, series, roundTrips };
    },
  );
}

/** Measures a new ledger of each size. @param sizes in entries, ascending. */
export async function measureGrowth(
  { id, name, start }: Engine,
  scratch: string,
  sizes: readonly number[],
): Promise<GrowthResult | Unavailable> {
  const samples: GrowthSample[] = [];
  for (const size of sizes) {
    const measured = await withEngine(
      () => start(scratch, `growth-${size}`),
      ({ target }, { call }) => call.measureGrowth(target, size),
    );
    if (measured instanceof Unavailable) return measured;
    samples.push(measured);
  }
  return { id, name, samples };
}

export function isCase(series: Series, contender: string, { organizations, callers }: LedgerCase): boolean {
  return series.contender === contender && series.organizations === organizations && series.callers === callers;
}

/** A process for a ledger. @param preload URLs of modules to load before. */
export function startLedger(preload: readonly string[] = []): Promise<Child<LedgerProcess>> {
  return startChild<LedgerProcess>('ledger', 'ledgers/ledger-process.js', { preload, nodeOptions: ['--expose-gc'] });
}

export class Unavailable extends Error {}

/** Whatever is started has ended when the measurement has. */
async function withEngine<Result>(
  start: () => Promise<RunningEngine>,
  work: (engine: RunningEngine, child: Child<LedgerProcess>) => Promise<Result>,
): Promise<Result | Unavailable> {
  const engine = await start().catch((error: unknown) => new Unavailable(String(error).split('\n')[0]));
  if (engine instanceof Unavailable) return engine;
  const child = await startLedger();
  try {
    return await work(engine, child);
  } finally {
    await child.stop();
    await engine.stop();
  }
}
