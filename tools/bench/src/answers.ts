import { CONNECTIONS, type Drives, driveAnswers, inTurns, type Sample } from './drive.js';
import { median, megabytes, present, section, short, table, withSpread } from './report.js';
import type { Stage } from './stage.js';
import { figureOf, ratioOf } from './statistics.js';

const HEAD = [
  'server',
  'CPU µs/answer',
  '× same host',
  '× node',
  'req/s',
  'req/s ÷ node',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'CPU used',
];
const TEXT = `${CONNECTIONS} connections, each with one request under way; the provider answers 2.3 kB at once. CPU is the server process's own; "same host" is the forwarder in the same host.`;

const cpu = ({ cpuMicros }: Sample): number => cpuMicros;
const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;

/** Under full load: CPU time of an answer, requests per second, latency. */
export async function measureAnswers(stage: Stage, { rounds: turns, ...drive }: Drives): Promise<string> {
  const rounds = await inTurns(stage.servers, turns, (server) => driveAnswers(stage, server, drive));
  const rows = present(rounds).map(([{ name, host }, own]) => [
    name,
    median(own, cpu),
    withSpread(ratioOf(own, rounds[host] ?? [], cpu)),
    short(ratioOf(own, rounds.node ?? [], cpu).median),
    median(own, rate),
    withSpread(ratioOf(own, rounds.node ?? [], rate)),
    median(own, ({ p50Ms }) => p50Ms),
    median(own, ({ p99Ms }) => p99Ms),
    megabytes(own.at(-1)?.rssBytes ?? 0),
    `${short(Math.round(100 * figureOf(own, ({ serverCpu }) => serverCpu).median))} %`,
  ]);
  return section('Answers under full load', TEXT, table(HEAD, rows));
}
