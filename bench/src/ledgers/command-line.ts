import { parseArgs } from 'node:util';
import type { EngineId } from './engines/engines.js';
import { ENGINES } from './engines/engines.js';
import type { Drive } from './measure-engine.js';

export interface LedgerCommandLine extends Drive {
  readonly engines: readonly EngineId[];
  readonly driverFloors: boolean;
  readonly write: boolean;
}

const IDS = ENGINES.map(({ id }) => id);
const DEFAULT_ROUNDS = 3;
const DEFAULT_SECONDS = 1;
const MOST_ROUNDS = 100;
const MOST_SECONDS = 60;

const USAGE = `npm run bench:ledger -- [options]
  --only a,b         only these: ${IDS.join(', ')}
  --seconds n        how long each sample takes, 1 to ${MOST_SECONDS}; default ${DEFAULT_SECONDS}
  --rounds n         how often each is taken, 1 to ${MOST_ROUNDS}; default ${DEFAULT_ROUNDS}
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
      'driver-floors': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  return {
    engines: values.only.split(',').map(engineId),
    rounds: wholeNumber(values.rounds, MOST_ROUNDS),
    durationMs: wholeNumber(values.seconds, MOST_SECONDS) * 1_000,
    driverFloors: values['driver-floors'],
    write: values.write,
  };
}

function engineId(text: string): EngineId {
  const id = IDS.find((each) => each === text);
  if (id === undefined) throw new Error(`unknown: "${text}"\n${USAGE}`);
  return id;
}

function wholeNumber(text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Error(`expected a whole number from 1 to ${most}, found "${text}"\n${USAGE}`);
  }
  return number;
}
