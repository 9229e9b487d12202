import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandLine, type MeasurementName, parseCommandLine } from './command-line.js';
import { describeEnvironment, installedVersion } from './environment.js';
import { measureEventLoop } from './measurements/event-loop.js';
import { measureKeys } from './measurements/keys.js';
import { measureLedger } from './measurements/ledger.js';
import { measureModels } from './measurements/models.js';
import { measureOpenLoop } from './measurements/open-loop.js';
import { checkReplies } from './measurements/replies.js';
import { measureSaturated } from './measurements/saturated.js';
import { measureSoak, type Soak } from './measurements/soak.js';
import { measureStartUp } from './measurements/start-up.js';
import { watchOtherWork } from './other-work.js';
import { report } from './report/report.js';
import { byTarget, type Results, roundNumber } from './results.js';
import { PORTKEY_VERSION } from './servers/portkey.js';
import { type Server, type Stage, setUpStage } from './stage.js';
import { figure } from './statistics.js';

const LEDGER_ROUNDS = 3;
const PACKAGES = ['express', 'koa', '@koa/bodyparser', 'undici', 'zod'];
const BENCH = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const RESULTS = path.join(BENCH, 'results');
const PROFILES = path.join(RESULTS, 'profiles');

type Measured = Omit<Results, 'environment' | 'otherWork' | 'mode'>;

async function measure(stage: Stage, commandLine: CommandLine): Promise<Measured> {
  const { mode, measurements } = commandLine;
  const { servers } = stage;
  const listing = servers.filter(({ target }) => target.kind !== 'peer');

  async function step<Result>(name: MeasurementName, work: () => Promise<Result>): Promise<Result | null> {
    return measurements.has(name) ? timed(name, work) : null;
  }

  await timed('check every reply', () => checkReplies(servers));
  const warmUp = { rounds: 1, settleMs: 0, durationMs: mode.warmUpMs };
  const warm = await timed('warm up', () => measureSaturated(stage, servers, warmUp));
  const saturated = await step('answers', () => measureSaturated(stage, servers, mode.saturated));
  const openLoop = await step('latency', () => measureOpenLoop(stage, servers, mode.openLoop));
  const canDo = capacities(saturated ?? warm);
  const eventLoop = await step('event-loop', () => measureEventLoop(stage, mode.eventLoop, canDo));
  const models = await step('models', () => measureModels(stage, listing, mode.models));
  const ledger = await step('ledger', () => measureLedger({ pairs: mode.ledgerPairs, rounds: LEDGER_ROUNDS }));
  const startUp = await step('start-up', () => measureStartUp(mode.startUps));
  const keys = await step('keys', () => measureKeys(stage, mode));
  return {
    skipped: stage.skipped,
    saturated: byTarget(saturated),
    openLoop: byTarget(openLoop),
    eventLoop: byTarget(eventLoop),
    models: models === null ? null : { ...models, rounds: byTarget(models.rounds) },
    ledger,
    startUp,
    keys,
    soaks: await soaks(stage, commandLine),
  };
}

async function soaks(stage: Stage, { soak }: CommandLine): Promise<Soak[]> {
  const results: Soak[] = [];
  for (const id of soak) results.push(await timed(`a million answers: ${id}`, () => measureSoak(stage, id)));
  return results;
}

function capacities(saturated: ReadonlyMap<Server, readonly { requestsPerSecond: number }[]>): Map<Server, number> {
  return new Map(
    [...saturated].map(([server, rounds]) => [
      server,
      figure(rounds.map(({ requestsPerSecond }) => requestsPerSecond)).median,
    ]),
  );
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now();
  process.stderr.write(`${name} … `);
  const result = await work();
  process.stderr.write(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
  return result;
}

/** Keeps the raw figures of every run, and with `--write` makes this run the published one. */
function keep(results: Results, { write }: CommandLine): void {
  const json = `${JSON.stringify(results, roundNumber, 1)}\n`;
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path.join(RESULTS, `${results.environment.date.replaceAll(':', '-')}.json`), json);
  if (!write) return;
  writeFileSync(path.join(RESULTS, 'latest.json'), json);
  mkdirSync(path.join(BENCH, '../docs'), { recursive: true });
  writeFileSync(path.join(BENCH, '../docs/benchmarks.md'), published(results));
}

function published(results: Results): string {
  const text = [
    '# Benchmarks',
    'Written by `npm run bench -- --write`; do not edit. How it is measured, and what is not: [bench/README.md](../bench/README.md).',
    'The ledgers are measured beside their engines: [benchmarks-ledger.md](benchmarks-ledger.md).',
    report(results),
  ];
  return text.join('\n\n');
}

/** Ends every process before it returns, also when something went wrong. */
async function run(commandLine: CommandLine): Promise<Results> {
  const environment = describeEnvironment({
    ...Object.fromEntries(PACKAGES.map((name) => [name, installedVersion(name)])),
    '@portkey-ai/gateway': PORTKEY_VERSION,
  });
  const otherWork = watchOtherWork();
  const stage = await setUpStage({ ...commandLine, profileFolder: commandLine.profile ? PROFILES : null });
  try {
    const measured = await measure(stage, commandLine);
    await stage.stop();
    return { environment, otherWork: otherWork(), mode: commandLine.mode, ...measured };
  } finally {
    await stage.stop();
  }
}

const commandLine = parseCommandLine(process.argv.slice(2));
const results = await run(commandLine);
keep(results, commandLine);
process.stdout.write(`\n${report(results)}`);
