import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeEnvironment, installedVersion } from './environment.js';
import { type LedgerCommandLine, type Measure, parseLedgerCommandLine } from './ledgers/command-line.js';
import { createEndings, type Endings, type EngineContext } from './ledgers/engines/engine.js';
import { ENGINES, type EngineId } from './ledgers/engines/engines.js';
import type { EngineGrowth } from './ledgers/growth/growth-sample.js';
import { GROWING_ENGINES, measureGrowth } from './ledgers/growth/measure-growth.js';
import type { LedgerResults } from './ledgers/ledger-results.js';
import { type EngineResult, measureEngine } from './ledgers/measure-engine.js';
import { measureFlush } from './ledgers/measure-flush.js';
import { ledgerReport } from './ledgers/report/ledger-report.js';
import { roundNumber } from './results.js';

const BENCH = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const RESULTS = path.join(BENCH, 'results');
const PACKAGES = ['libsql', 'pg', 'ioredis'];
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Why an engine took no part. */
type Skipped = LedgerResults['skipped'][number];

/** Starts one engine, measures it and ends it, also when something went wrong. */
async function measurePairs(
  { id, name, start }: (typeof ENGINES)[number],
  commandLine: LedgerCommandLine,
  context: EngineContext,
): Promise<EngineResult | Skipped> {
  const started = await start(context).catch((error: unknown) => ({ name, reason: reasonOf(error) }));
  return 'reason' in started ? started : measureEngine({ id, name }, started, commandLine);
}

async function measureGrowthOf(
  { id, name, start }: (typeof GROWING_ENGINES)[number],
  { sizes }: LedgerCommandLine,
  context: EngineContext,
): Promise<EngineGrowth | Skipped> {
  const target = await start(context).catch((error: unknown) => ({ name, reason: reasonOf(error) }));
  return typeof target === 'string' ? { id, name, samples: await measureGrowth(target, sizes, context) } : target;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Measured<R> {
  readonly results: readonly R[];
  readonly skipped: readonly Skipped[];
}

/** Whatever is started for an engine has ended when its measurement has. */
async function measureAndEnd<E, R>(engine: E, measure: (engine: E, endings: Endings) => Promise<R>): Promise<R> {
  const endings = createEndings();
  try {
    return await measure(engine, endings);
  } finally {
    await endings.endAll();
  }
}

/** One engine after the other. */
async function measureEach<E extends { readonly name: string }, R extends object>(
  engines: readonly E[],
  what: string,
  measure: (engine: E, endings: Endings) => Promise<R | Skipped>,
): Promise<Measured<R>> {
  const results: R[] = [];
  const skipped: Skipped[] = [];
  for (const engine of engines) {
    const startedMs = performance.now();
    process.stderr.write(`${engine.name}, ${what} … `);
    const result = await measureAndEnd(engine, measure);
    if ('reason' in result) skipped.push(result);
    else results.push(result);
    const outcome = 'reason' in result ? `took no part: ${result.reason}` : '';
    process.stderr.write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s ${outcome}\n`);
  }
  return { results, skipped };
}

async function measureAll(commandLine: LedgerCommandLine, scratch: string): Promise<LedgerResults> {
  const { rounds, durationMs, driverFloors, engines: wanted, measures } = commandLine;
  const environment = describeEnvironment(Object.fromEntries(PACKAGES.map((name) => [name, installedVersion(name)])));
  const flush = measureFlush(scratch);
  const listed = <E extends { readonly id: EngineId }>(all: readonly E[], measure: Measure) =>
    measures.includes(measure) ? all.filter(({ id }) => wanted.includes(id)) : [];
  const pairs = await measureEach(listed(ENGINES, 'pairs'), 'pairs', (engine, endings) =>
    measurePairs(engine, commandLine, { endings, scratch, driverFloors }),
  );
  const growth = await measureEach(listed(GROWING_ENGINES, 'growth'), 'growth', (engine, endings) =>
    measureGrowthOf(engine, commandLine, { endings, scratch, driverFloors }),
  );
  return {
    environment,
    loadAverageAtEnd: os.loadavg()[0] ?? 0,
    drive: { rounds, durationMs },
    flush,
    engines: pairs.results,
    growth: growth.results,
    skipped: [...pairs.skipped, ...growth.skipped],
  };
}

/** Keeps the raw figures of every run, and with `--write` makes this run the published one. */
function keep(results: LedgerResults, { write }: LedgerCommandLine): void {
  const json = `${JSON.stringify(results, roundNumber, 1)}\n`;
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path.join(RESULTS, `ledger-${results.environment.date.replaceAll(':', '-')}.json`), json);
  if (!write) return;
  writeFileSync(path.join(RESULTS, 'ledger-latest.json'), json);
  writeFileSync(path.join(BENCH, '../docs/benchmarks-ledger.md'), published(results));
}

function published(results: LedgerResults): string {
  const text = [
    '# Benchmarks of the ledgers',
    'Written by `npm run bench:ledger -- --write`; do not edit. How it is measured, and what is not: [bench/README.md](../bench/README.md).',
    ledgerReport(results),
  ];
  return text.join('\n\n');
}

const commandLine = parseLedgerCommandLine(process.argv.slice(2));
const scratch = mkdtempSync(path.join(os.tmpdir(), 'searchgate-bench-'));
// Servers and their folders end with this process by themselves, and so do the processes that measure.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) process.once(signal, () => process.exit(code));
const results = await measureAll(commandLine, scratch);
keep(results, commandLine);
process.stdout.write(`\n${ledgerReport(results)}`);
