import { ANSWERS, CONNECTIONS, driveClosed, inTurns, type Sample } from '../drive.js';
import {
  compare,
  type Goal,
  goal,
  type Measurement,
  median,
  megabytes,
  present,
  section,
  short,
  table,
  withSpread,
} from '../report.js';
import { GATEWAYS, type TargetId } from '../stage.js';
import { figureOf, type Read, ratioOf } from '../statistics.js';

const CPU_BOUNDS: Partial<Record<TargetId, number>> = { core: 1.3, 'express-gateway': 1, 'koa-gateway': 1.25 };
const HEAD = ['CPU µs/answer', 'CPU × same host', 'CPU × node', 'req/s', 'req/s × same host', 'p50 ms', 'p99 ms'];
const TEXT = `${CONNECTIONS} connections, each with one request under way; the provider answers 2.3 kB at once. CPU is the server process's own; "same host" is the forwarder in the same host.`;

const cpu = ({ cpuMicrosPerRequest }: Sample): number => cpuMicrosPerRequest;
const p99 = ({ p99Ms }: Sample): number => p99Ms;
const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;

/** As many requests as each server can take: CPU time of an answer, requests per second, latency under full load. */
export const measureAnswers: Measurement = async (stage, { answers: { rounds: turns, ...drive } }) => {
  const take = { asked: ANSWERS, ...drive };
  const rounds = await inTurns(stage.servers, turns, (server) => driveClosed(stage, server, take));
  const rows = present(rounds).map(([{ name, host }, own]) => {
    const base = rounds[host] ?? [];
    return [
      name,
      median(own, cpu),
      withSpread(ratioOf(own, base, cpu)),
      short(ratioOf(own, rounds.node ?? [], cpu).median),
      median(own, rate),
      short(ratioOf(own, base, rate).median),
      median(own, ({ p50Ms }) => p50Ms),
      median(own, p99),
      megabytes(own.at(-1)?.rssBytes ?? 0),
      `${short(Math.round(100 * figureOf(own, ({ serverCpu }) => serverCpu).median))} %`,
    ];
  });
  const goals = GATEWAYS.flatMap(({ id, name, host }): Goal[] => {
    const against = (read: Read<Sample>) => compare(rounds, [id, host], (own, base) => ratioOf(own, base, read));
    const bound = `≤ ${CPU_BOUNDS[id] ?? 1} ×`;
    return [
      goal(1, [`CPU per answer: ${name} ÷ the forwarder in the same host`, bound], against(cpu)),
      goal(3, [`p99 under full load: ${name} ÷ the forwarder in the same host`, '≤ 1.5 ×'], against(p99)),
    ];
  });
  const head = ['server', ...HEAD, 'RSS MB', 'CPU used'];
  return { raw: rounds, goals, section: section('Answers under full load', TEXT, table(head, rows)) };
};
