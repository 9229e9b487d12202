import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres, startRedis } from '@searchgate-internal/test-servers';
import { Command } from 'commander';
import { listOf, parse, timed, wholeNumber } from './command-line.js';
import { measureGrowth, measurePairs, PAIRS_HEAD } from './ledgers/measure.js';
import { environmentText, section, table } from './report.js';

const IDS = ['memory', 'sqlite', 'postgres', 'redis'] as const;
type Id = (typeof IDS)[number];
const MEASURES = ['pairs', 'growth'] as const;
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

interface Options {
  readonly only: readonly Id[];
  readonly measure: readonly (typeof MEASURES)[number][];
  readonly rounds: number;
  readonly milliseconds: number;
  readonly sizes: readonly number[];
}

const numbers = (text: string): number[] => text.split(',').map(wholeNumber);
const command = new Command('npm run bench:ledger --')
  .option('--only <ledgers>', `only these, of ${IDS.join(', ')}`, listOf(IDS), [...IDS])
  .option('--measure <names>', `only these, of ${MEASURES.join(', ')}`, listOf(MEASURES), [...MEASURES])
  .option('--rounds <n>', 'how often each sample is taken', wholeNumber, 3)
  .option('--milliseconds <n>', 'how long each sample takes', wholeNumber, 1_000)
  .option('--sizes <pairs>', 'growth at so many pairs, ascending', numbers, [0, 100_000, 1_000_000]);
const { only, measure, rounds, milliseconds, sizes } = parse<Options>(command);

const scratch = mkdtempSync(path.join(os.tmpdir(), 'searchgate-bench-'));
// Servers and measuring processes end with this process and remove their own files.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) process.once(signal, () => process.exit(code));

/** Starts an empty ledger of each kind. Servers are durable and started for this run. */
const STARTS: Record<Id, () => Promise<{ readonly target: string; stop(): Promise<void> }>> = {
  memory: async () => ({ target: 'memory', stop: async () => {} }),
  sqlite: async () => {
    const folder = mkdtempSync(path.join(scratch, 'sqlite-'));
    return {
      target: `sqlite:${path.join(folder, 'ledger.db')}`,
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
  postgres: async () => {
    const server = await startPostgres({ durable: true, ownServer: true });
    return { target: await server.createDatabase(), stop: () => server.stop() };
  },
  redis: async () => {
    const server = await startRedis({ appendfsync: 'always', ownServer: true });
    if ('reason' in server) throw new Error(server.reason);
    return { target: server.url, stop: () => server.stop() };
  },
};

async function measureEach<Row>(what: string, take: (name: Id, target: string) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const id of only) {
    const engine = await STARTS[id]().catch((error: unknown) => console.error(`${id} takes no part: ${String(error)}`));
    if (engine === undefined) continue;
    try {
      rows.push(...(await timed(`${id}, ${what}`, () => take(id, engine.target))));
    } finally {
      await engine.stop();
    }
  }
  return rows;
}

const sections = [environmentText()];
if (measure.includes('pairs')) {
  const rows = await measureEach('pairs', (id, target) =>
    measurePairs(id, target, { rounds, durationMs: milliseconds }),
  );
  sections.push(
    section(
      'Hold + settle pairs',
      'Every key has a limit. Every commit and write is flushed.',
      table(PAIRS_HEAD, rows),
    ),
  );
}
if (measure.includes('growth')) {
  const rows = await measureEach('growth', (id, target) => measureGrowth(id, target, sizes));
  const cells = rows.map((row) => Object.values(row));
  sections.push(
    section(
      'Growth',
      'Milliseconds with so many pairs in the log, medians, one at a time.',
      table(Object.keys(rows[0] ?? {}), cells),
    ),
  );
}
process.stdout.write(`\n${sections.join('\n\n')}\n`);
