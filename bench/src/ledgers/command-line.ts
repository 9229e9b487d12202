import { parseArgs } from 'node:util';
import type { EngineId } from './engines/engines.js';
import { ENGINES } from './engines/engines.js';
import type { Drive } from './measure-engine.js';

export interface LedgerCommandLine extends Drive {
  readonly engines: readonly EngineId[];
  readonly driverFloors: boolean;
  readonly write: boolean;
  readonly measures: readonly Measure[];
  /** The sizes at which growth is measured: answers, ascending. */
  readonly sizes: readonly number[];
}

const MEASURES = ['pairs', 'growth'] as const;
export type Measure = (typeof MEASURES)[number];

const IDS = ENGINES.map(({ id }) => id);
const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 1;
const MOST_ROUNDS = 100;
const MOST_SECONDS = 60;
const DEFAULT_SIZES = '0,100000,1000000';
const MOST_ANSWERS = 10_000_000;

const USAGE = `npm run bench:ledger -- [options]
  --only a,b         only these: ${IDS.join(', ')}
  --seconds n        how long each sample takes, 1 to ${MOST_SECONDS}; default ${DEFAULT_SECONDS}
  --rounds n         how often each is taken, 1 to ${MOST_ROUNDS}; default ${DEFAULT_ROUNDS}
  --measure a,b      only this: ${MEASURES.join(', ')}; growth takes some ten minutes
  --sizes a,b        growth at so many answers, ascending; default ${DEFAULT_SIZES}
  --driver-floors    take the floors through the drivers, also where pgbench and redis-benchmark are there
  --write            make this run the published one: docs/benchmarks-ledger.md and bench/results/ledger-latest.json`;

/** @throws Error saying how to call it. */
export function parseLedgerCommandLine(args: readonly string[]): LedgerCommandLine {
  const { values } = parseArgs({
    args: args.filter((argument) => argument !== '--'),
    options: {
      only: { type: 'string', default: IDS.join(',') },
      seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
      rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
      measure: { type: 'string', default: MEASURES.join(',') },
      sizes: { type: 'string', default: DEFAULT_SIZES },
      'driver-floors': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  return {
    engines: values.only.split(',').map((text) => oneOf(IDS, text)),
    rounds: wholeNumber(values.rounds, { least: 1, most: MOST_ROUNDS }),
    durationMs: wholeNumber(values.seconds, { least: 1, most: MOST_SECONDS }) * 1_000,
    driverFloors: values['driver-floors'],
    write: values.write,
    measures: values.measure.split(',').map((text) => oneOf(MEASURES, text)),
    sizes: values.sizes.split(',').map((text) => wholeNumber(text, { least: 0, most: MOST_ANSWERS })),
  };
}

function oneOf<T extends string>(all: readonly T[], text: string): T {
  const found = all.find((each) => each === text);
  if (found === undefined) throw new Error(`unknown: "${text}"\n${USAGE}`);
  return found;
}

function wholeNumber(text: string, { least, most }: { readonly least: number; readonly most: number }): number {
  const number = Number(text);
  if (text === '' || !Number.isInteger(number) || number < least || number > most) {
    throw new Error(`expected a whole number from ${least} to ${most}, found "${text}"\n${USAGE}`);
  }
  return number;
}
