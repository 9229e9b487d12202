import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeEnvironment, installedVersion } from './environment.js';
import { type LedgerCommandLine, parseLedgerCommandLine } from './ledgers/command-line.js';
import { createEndings } from './ledgers/engines/engine.js';
import { ENGINES } from './ledgers/engines/engines.js';
import type { LedgerResults } from './ledgers/ledger-results.js';
import { type EngineResult, measureEngine } from './ledgers/measure-engine.js';
import { measureFlush } from './ledgers/measure-flush.js';
import { ledgerReport } from './ledgers/report/ledger-report.js';
import { roundNumber } from './results.js';

const BENCH = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const RESULTS = path.join(BENCH, 'results');
const PACKAGES = ['libsql', 'pg', 'ioredis'];
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type ListedEngine = (typeof ENGINES)[number];

/** Starts one engine, measures it and ends it, also when something went wrong. */
async function measureListed(
  engine: ListedEngine,
  commandLine: LedgerCommandLine,
  scratch: string,
): Promise<EngineResult | { readonly name: string; readonly reason: string }> {
  const { id, name, start } = engine;
  const endings = createEndings();
  try {
    const { driverFloors } = commandLine;
    const started = await start({ endings, scratch, driverFloors }).catch((error: unknown) => ({
      name,
      reason: error instanceof Error ? error.message : String(error),
    }));
    return 'reason' in started ? started : await measureEngine({ id, name }, started, commandLine);
  } finally {
    await endings.endAll();
  }
}

async function measureAll(commandLine: LedgerCommandLine, scratch: string): Promise<LedgerResults> {
  const environment = describeEnvironment(Object.fromEntries(PACKAGES.map((name) => [name, installedVersion(name)])));
  const flush = measureFlush(scratch);
  const engines: EngineResult[] = [];
  const skipped: LedgerResults['skipped'][number][] = [];
  for (const engine of ENGINES.filter(({ id }) => commandLine.engines.includes(id))) {
    const startedMs = performance.now();
    process.stderr.write(`${engine.name} … `);
    const result = await measureListed(engine, commandLine, scratch);
    if ('reason' in result) skipped.push(result);
    else engines.push(result);
    const outcome = 'reason' in result ? `took no part: ${result.reason}` : '';
    process.stderr.write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s ${outcome}\n`);
  }
  const { rounds, durationMs } = commandLine;
  const loadAverageAtEnd = os.loadavg()[0] ?? 0;
  return { environment, loadAverageAtEnd, drive: { rounds, durationMs }, flush, engines, skipped };
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
