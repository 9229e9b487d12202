import { ANSWERS, type Asked, driveClosed, loadOf, measure, type Sample } from '../drive.js';
import type { LoadGenerator } from '../load-generator.js';
import { startChild } from '../processes/child.js';
import { count, goal, type Measurement, median, section, table } from '../report.js';
import { answerRequest } from '../requests.js';
import { figureOf, ratioOf } from '../statistics.js';

const ANSWERS_PER_SECOND = 300;
const RATED_KEY = 1;
const REFUSED: Asked = {
  name: 'refused',
  requests: [answerRequest(RATED_KEY)],
  reachesUpstream: false,
  status: 429,
};
const HEAD = ['the core in node:http', 'answers/s', 'p50 ms', 'p99 ms'];

interface Round {
  readonly alone: Sample;
  readonly beside: Sample;
  readonly refusedCpuMicros: number;
}

const perSecond = ({ requestsPerSecond }: Sample): number => requestsPerSecond;
const costOfRefusal = ({ alone, refusedCpuMicros }: Round): number => refusedCpuMicros / alone.cpuMicrosPerRequest;

/** Answers of one key at a rate the server can keep, alone and beside a flood of calls that the rate of another key refuses. */
export const measureFlood: Measurement = async (stage, { flood: { rounds: turns, refusedPerSecond, ...times } }) => {
  const { settleMs, durationMs } = times;
  const server = await stage.start('core', { apiKeyCount: RATED_KEY + 1, ratedKey: RATED_KEY });
  const flooder = stage.keep(await startChild<LoadGenerator>('flooder', 'load-generator.js'));
  const answers = { ...loadOf(server, ANSWERS), requestsPerSecond: ANSWERS_PER_SECOND };
  const calls = { ...loadOf(server, REFUSED), requestsPerSecond: refusedPerSecond };
  const answer = () =>
    measure(stage, server, { asked: ANSWERS, drive: () => stage.generator.call.openLoop({ ...answers, durationMs }) });
  // The one call of the day.
  await stage.generator.call.closedLoop({ ...calls, connections: 1, amount: 1, status: 200 });
  await stage.generator.call.openLoop({ ...answers, durationMs: settleMs });

  const rounds: Round[] = [];
  for (let round = 0; round < turns; round += 1) {
    const alone = await answer();
    const refused = await driveClosed(stage, server, { asked: REFUSED, settleMs, durationMs: durationMs / 2 });
    const [beside] = await Promise.all([answer(), flooder.call.openLoop({ ...calls, durationMs })]);
    rounds.push({ alone, beside, refusedCpuMicros: refused.cpuMicrosPerRequest });
  }
  await Promise.all([server.child.stop(), flooder.stop()]);

  const [alone, beside] = [rounds.map((round) => round.alone), rounds.map((round) => round.beside)];
  const flooded = `beside ${count(refusedPerSecond)} refused calls/s`;
  const goals = [
    goal(8, [`Answers per second at a fixed rate: ${flooded} ÷ alone`, '≥ 0.9 ×'], ratioOf(beside, alone, perSecond)),
    goal(8, ['CPU of a refused call ÷ of an answer', '≤ 0.3 ×'], figureOf(rounds, costOfRefusal)),
  ];
  const row = (name: string, samples: readonly Sample[]) => [
    name,
    median(samples, perSecond),
    median(samples, ({ p50Ms }) => p50Ms),
    median(samples, ({ p99Ms }) => p99Ms),
  ];
  const cpu = [
    median(rounds, ({ refusedCpuMicros }) => refusedCpuMicros),
    median(alone, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
  ];
  const text = `One key asks ${ANSWERS_PER_SECOND} times a second. Another has used its rate up and goes on calling. A refused call takes ${cpu[0]} µs of CPU, an answer ${cpu[1]}.`;
  const result = table(HEAD, [row('alone', alone), row(flooded, beside)]);
  return { raw: rounds, goals, section: section('A flood of refused calls', text, result) };
};
