import { Command } from 'commander';
import { compareWith } from './against.js';
import { measureAnswers } from './answers.js';
import { measureColdStart } from './cold-start.js';
import { listOf, parse, timed, wholeNumber } from './command-line.js';
import { driveAnswers, inTurns } from './drive.js';
import { measureOneConnection, measureOpenLoop } from './open-loop.js';
import { environmentText } from './report.js';
import { setUpStage, TARGETS, type TargetId } from './stage.js';
import { measureStreams } from './streams.js';

const IDS = TARGETS.map(({ id }) => id);
const MEASUREMENTS = ['answers', 'open-loop', 'one-connection', 'streams', 'cold-start'] as const;

interface Options {
  readonly rounds: number;
  readonly against?: string;
  readonly only: readonly TargetId[];
  readonly measure: readonly (typeof MEASUREMENTS)[number][];
}

const command = new Command('npm run bench --')
  .option('--rounds <n>', 'how often each server is measured; few rounds settle no argument', wholeNumber, 21)
  .option('--against <checkout>', 'compare with the built packages of another checkout instead')
  .option('--only <servers>', `only these, of ${IDS.join(', ')}`, listOf(IDS), IDS)
  .option('--measure <names>', `only these, of ${MEASUREMENTS.join(', ')}`, listOf(MEASUREMENTS), [...MEASUREMENTS]);
const { rounds, against, only, measure } = parse<Options>(command);
/** Short rounds: the speed of a shared machine changes by a quarter within a second, and adjacent turns share the change. */
const drives = { rounds, settleMs: 100, durationMs: 400 };

const stage = await setUpStage(against === undefined ? TARGETS.filter(({ id }) => only.includes(id)) : []);
try {
  const sections = against === undefined ? await measureAll() : [await compareWith(against, stage, drives)];
  process.stdout.write(`\n${[environmentText(), ...sections].join('\n\n')}\n`);
} finally {
  await stage.stop();
}

async function measureAll(): Promise<string[]> {
  const warmUp = { settleMs: 1, durationMs: 2_000 };
  await timed('warm up', () => inTurns(stage.servers, 1, (server) => driveAnswers(stage, server, warmUp)));
  const sections: string[] = [];
  if (measure.includes('answers')) sections.push(await timed('answers', () => measureAnswers(stage, drives)));
  const openLoop = { rounds: Math.ceil(rounds / 4), durationMs: 2_000 };
  if (measure.includes('open-loop')) sections.push(await timed('open loop', () => measureOpenLoop(stage, openLoop)));
  const one = { rounds: Math.ceil(rounds / 4), amount: 2_000 };
  if (measure.includes('one-connection'))
    sections.push(await timed('one connection', () => measureOneConnection(stage, one)));
  const streams = { rounds: Math.ceil(rounds / 4), windowMs: 1_500 };
  if (measure.includes('streams')) sections.push(await timed('streams', () => measureStreams(stage, streams)));
  if (measure.includes('cold-start')) sections.push(await timed('cold start', () => measureColdStart(stage, rounds)));
  // The audit of each durable ledger.
  for (const { books } of stage.servers) await books?.call.verify();
  return sections;
}
