import { Command } from 'commander';
import { compareWith } from './against.js';
import { listOf, parse, timed } from './command-line.js';
import { ANSWERS, driveClosed } from './drive.js';
import { describeEnvironment, environmentText, publish } from './environment.js';
import { measureAnswers } from './measurements/answers.js';
import { measureFlood } from './measurements/flood.js';
import { measureKeys } from './measurements/keys.js';
import { measureModels } from './measurements/models.js';
import { measureOpenLoop } from './measurements/open-loop.js';
import { measureSoak } from './measurements/soak.js';
import { measureStartUp } from './measurements/start-up.js';
import { measureStreams } from './measurements/streams.js';
import { FULL, QUICK } from './modes.js';
import { goalsSection, type Outcome } from './report.js';
import { type Stage, setUpStage, TARGETS, type TargetId } from './stage.js';

const MEASUREMENTS = {
  answers: measureAnswers,
  'open-loop': measureOpenLoop,
  streams: measureStreams,
  models: measureModels,
  'start-up': measureStartUp,
  keys: measureKeys,
  flood: measureFlood,
  soak: measureSoak,
};
type Name = keyof typeof MEASUREMENTS;
const NAMES = Object.keys(MEASUREMENTS) as Name[];
const IDS = TARGETS.map(({ id }) => id);
const PACKAGES = ['express', 'koa', '@koa/bodyparser', 'undici', 'zod', 'autocannon'];

interface Options {
  readonly quick: boolean;
  readonly write: boolean;
  readonly soak: boolean;
  readonly profile: boolean;
  readonly against?: string;
  readonly only: readonly TargetId[];
  readonly measure: readonly Name[];
}

const usual = NAMES.filter((name) => name !== 'soak');
const command = new Command('npm run bench --')
  .option('--quick', 'about two minutes; too short to settle an argument', false)
  .option('--write', 'make this run the published one, in docs', false)
  .option('--soak', 'also a million answers each through Express and Koa, for their memory', false)
  .option('--against <checkout>', 'compare with the built packages of another checkout instead')
  .option('--only <servers>', `only these, of ${IDS.join(', ')}`, listOf(IDS), IDS)
  .option('--measure <names>', `only these, of ${NAMES.join(', ')}`, listOf(NAMES), usual)
  .option('--profile', 'leave a CPU profile of every server in bench/results/profiles', false);
const options = parse<Options>(command);
const mode = options.quick ? QUICK : FULL;

/** Ends every process before it returns. */
async function measureAll(stage: Stage): Promise<Map<Name, Outcome>> {
  const outcomes = new Map<Name, Outcome>();
  const wanted: readonly Name[] = options.soak ? [...options.measure, 'soak'] : options.measure;
  try {
    // The first drive finds out how much the second can send.
    const take = { asked: ANSWERS, settleMs: 1, durationMs: mode.warmUpMs };
    await timed('warm up', async () => {
      for (const server of stage.servers) await driveClosed(stage, server, take);
    });
    for (const name of NAMES.filter((each) => wanted.includes(each))) {
      outcomes.set(name, await timed(name, () => MEASUREMENTS[name](stage, mode)));
    }
  } finally {
    await stage.stop();
  }
  return outcomes;
}

interface Report {
  readonly title: string;
  readonly document: string;
  readonly names: readonly Name[];
  readonly text: string;
}

/** The long run takes most of an hour, so it is a run of its own: each of the two leaves the other's document as it is. */
const REPORTS: readonly Report[] = [
  {
    title: 'Benchmarks',
    document: 'benchmarks.md',
    names: usual,
    text: 'Measured in runs of their own: [the ledgers](benchmarks-ledger.md) beside their engines, and [a million answers](benchmarks-long-run.md).',
  },
  {
    title: 'Benchmark of a long run',
    document: 'benchmarks-long-run.md',
    names: ['soak'],
    text: 'Everything else is in [benchmarks](benchmarks.md).',
  },
];

async function run(): Promise<void> {
  const environment = describeEnvironment(PACKAGES);
  const stage = await setUpStage(options.only, options.profile);
  const outcomes = await measureAll(stage);
  for (const { names, text, ...origin } of REPORTS) {
    const measured = [...outcomes].filter(([name]) => names.includes(name));
    if (measured.length === 0) continue;
    const left = names.filter((name) => !outcomes.has(name));
    const sections = [
      environmentText(environment, `${mode.name} run`),
      text,
      goalsSection(measured.flatMap(([, { goals }]) => goals)),
      left.length === 0 ? '' : `Not measured in this run: ${left.join(', ')}.`,
      ...measured.map(([, { section }]) => section),
    ];
    const raw = Object.fromEntries(measured.map(([name, outcome]) => [name, outcome.raw]));
    const publication = { ...origin, command: 'npm run bench', sections, write: options.write };
    publish(environment.date, { environment, mode, ...raw }, publication);
  }
}

await (options.against === undefined ? run() : compareWith(options.against, mode));
