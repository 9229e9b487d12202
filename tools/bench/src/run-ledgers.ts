import { Command } from 'commander';
import { listOf, parse, timed, wholeNumber } from './command-line.js';
import { ENGINES, type EngineId } from './ledgers/engines.js';
import { measureGrowth, measurePairs, measureTeam, PAIRS_HEAD, TEAM_HEAD } from './ledgers/measure.js';
import { environmentText, section, table } from './report.js';

const IDS = Object.keys(ENGINES) as EngineId[];
const MEASURES = ['pairs', 'team', 'growth'] as const;
/** Several processes can share them at full speed. */
const SERVERS: readonly EngineId[] = ['postgres', 'redis'];

interface Options {
  readonly only: readonly EngineId[];
  readonly measure: readonly (typeof MEASURES)[number][];
  readonly rounds: number;
  readonly milliseconds: number;
  readonly sizes: readonly number[];
}

const numbers = (text: string): number[] => text.split(',').map(wholeNumber);
const command = new Command('npm run bench:ledger --')
  .option('--only <ledgers>', `only these, of ${IDS.join(', ')}`, listOf(IDS), IDS)
  .option('--measure <names>', `only these, of ${MEASURES.join(', ')}`, listOf(MEASURES), [...MEASURES])
  .option('--rounds <n>', 'how often each sample is taken', wholeNumber, 3)
  .option('--milliseconds <n>', 'how long each sample takes', wholeNumber, 1_000)
  .option('--sizes <pairs>', 'growth at so many pairs, ascending', numbers, [0, 100_000, 1_000_000]);
const { only, measure, rounds, milliseconds, sizes } = parse<Options>(command);

async function measureEach<Row>(
  what: string,
  take: (name: EngineId, target: string) => Promise<Row[]>,
  ids: readonly EngineId[] = only,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const id of ids) {
    const engine = await ENGINES[id]().catch((error: unknown) =>
      console.error(`${id} takes no part: ${String(error)}`),
    );
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
const sampling = { rounds, durationMs: milliseconds };
if (measure.includes('pairs')) {
  const rows = await measureEach('pairs', (id, target) => measurePairs(id, target, sampling));
  sections.push(
    section(
      'Hold + settle pairs',
      'Every key has a limit. Every commit and write is flushed.',
      table(PAIRS_HEAD, rows),
    ),
  );
}
if (measure.includes('team')) {
  const servers = only.filter((id) => SERVERS.includes(id));
  const rows = await measureEach('team', (id, target) => measureTeam(id, target, sampling), servers);
  sections.push(section('One team', '64 keys of one organization, 64 callers in all.', table(TEAM_HEAD, rows)));
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
