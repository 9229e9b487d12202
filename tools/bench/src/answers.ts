import { CONNECTIONS, type Drives, driveAnswers, inTurns, type Sample } from './drive.js';
import { median, megabytes, present, section, short, table, withSpread } from './report.js';
import type { Stage } from './stage.js';
import { figureOf, ratioOf } from './statistics.js';

const HEAD = [
  'server',
  'CPU µs/answer',
  '× forwarder',
  '× fetch',
  '× exa-js',
  'req/s',
  'req/s ÷ node',
  'p50 ms',
  'p99 ms',
  'RSS MB, start',
  'loaded',
  'CPU used',
];
const TEXT = `${CONNECTIONS} connections, each with one request under way; the provider answers 2.3 kB at once. CPU is the server process's own; the ratios compare it with handlers without a gateway in the same host: the forwarder over undici, one over \`fetch\`, one over the vendor's SDK (exa-js). RSS is that of the process before its first answer, and after the last round.`;

const cpu = ({ cpuMicros }: Sample): number => cpuMicros;
const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;

/** Under full load: CPU time of an answer, requests per second, latency. */
export async function measureAnswers(stage: Stage, { rounds: turns, ...drive }: Drives): Promise<string> {
  const rounds = await inTurns(stage.servers, turns, (server) => driveAnswers(stage, server, drive));
  const rows = present(rounds).map(([{ id, name, host }, own]) => [
    name,
    median(own, cpu),
    ...([host, `${host}-fetch`, `${host}-exa-js`] as const).map((base) =>
      withSpread(ratioOf(own, rounds[base] ?? [], cpu)),
    ),
    median(own, rate),
    withSpread(ratioOf(own, rounds.node ?? [], rate)),
    median(own, ({ p50Ms }) => p50Ms),
    median(own, ({ p99Ms }) => p99Ms),
    megabytes(stage.servers.find(({ target }) => target.id === id)?.rssAtStart ?? 0),
    megabytes(own.at(-1)?.rssBytes ?? 0),
    `${short(Math.round(100 * figureOf(own, ({ serverCpu }) => serverCpu).median))} %`,
  ]);
  return section('Answers under full load', TEXT, table(HEAD, rows));
}
