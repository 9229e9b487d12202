import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { listOf, parse, timed, wholeNumber } from './command-line.js';
import { describeEnvironment, environmentText, publish } from './environment.js';
import { ENGINES, type Engine } from './ledgers/engines.js';
import { measureGrowth, measurePairs, Unavailable } from './ledgers/measure.js';
import { engineSection, growthSection, ledgerGoalsOf } from './ledgers/report.js';
import { goalsSection } from './report.js';

const MEASURES = ['pairs', 'growth'] as const;
type Measure = (typeof MEASURES)[number];
const IDS = ENGINES.map(({ id }) => id);
const SIZES = [0, 1_000_000, 10_000_000];
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

interface Options {
  readonly only: readonly Engine['id'][];
  readonly measure: readonly Measure[];
  readonly rounds: number;
  readonly seconds: number;
  readonly sizes: readonly number[];
  readonly write: boolean;
}

const numbers = (text: string): number[] => text.split(',').map(wholeNumber);
const command = new Command('npm run bench:ledger --')
  .option('--only <ledgers>', `only these, of ${IDS.join(', ')}`, listOf(IDS), IDS)
  .option('--measure <names>', `only these, of ${MEASURES.join(', ')}`, listOf(MEASURES), [...MEASURES])
  .option('--rounds <n>', 'how often each sample is taken', wholeNumber, 3)
  .option('--seconds <n>', 'how long each sample takes', wholeNumber, 1)
  .option('--sizes <entries>', 'growth at so many entries, ascending', numbers, SIZES)
  .option('--write', 'make this run the published one, in docs', false);
const { only, measure, rounds, seconds, sizes, write } = parse<Options>(command);

const scratch = mkdtempSync(path.join(os.tmpdir(), 'searchgate-bench-'));
// Servers and their folders end with this process by themselves, and so do the processes that measure.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) process.once(signal, () => process.exit(code));
const notes: string[] = [];

async function measureEach<Result>(what: Measure, take: (engine: Engine) => Promise<Result | Unavailable>) {
  const results: Result[] = [];
  const wanted = ENGINES.filter(({ id, grows }) => only.includes(id) && (what === 'pairs' || grows));
  for (const engine of measure.includes(what) ? wanted : []) {
    const result = await timed(`${engine.name}, ${what}`, () => take(engine));
    if (result instanceof Unavailable) notes.push(`**${engine.name} took no part:** ${result.message}`);
    else results.push(result);
  }
  return results;
}

const environment = describeEnvironment(['libsql', 'pg', 'ioredis']);
const drive = { rounds, durationMs: seconds * 1_000 };
const pairs = await measureEach('pairs', (engine) => measurePairs(engine, scratch, drive));
const growth = await measureEach('growth', (engine) => measureGrowth(engine, scratch, sizes));
const origin = { command: 'npm run bench:ledger', write };
// Growth takes much longer, so it is often a run of its own: each of the two leaves the other's document as it is.
if (pairs.length > 0) {
  const sections = [
    environmentText(environment, `${rounds} rounds of ${seconds} s samples`),
    ...notes,
    'With a million and more entries: [growth](benchmarks-growth.md).',
    goalsSection(pairs.flatMap(ledgerGoalsOf)),
    ...pairs.map(engineSection),
  ];
  const names = { title: 'Benchmarks of the ledgers', document: 'benchmarks-ledger.md' };
  publish(environment.date, { environment, drive, pairs, notes }, { ...origin, ...names, sections });
}
if (growth.length > 0) {
  const sections = [environmentText(environment, 'run'), ...notes, growthSection(growth)];
  const names = { title: 'Growth of the ledgers', document: 'benchmarks-growth.md' };
  publish(environment.date, { environment, growth, notes }, { ...origin, ...names, sections });
}
