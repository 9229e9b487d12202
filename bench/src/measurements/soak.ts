import { ANSWERS, driveClosed } from '../drive.js';
import { count, goal, type Measurement, megabytes, section, table } from '../report.js';
import { GATEWAYS, type Stage, type Target } from '../stage.js';
import { figure } from '../statistics.js';

const ANSWERS_WANTED = 1_000_000;
const STEP_MS = 5_000;
const BYTES_PER_MB = 1024 ** 2;
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const HEAD = ['server', 'answers', 'begin', '25 %', '50 %', '75 %', 'end', 'open resources: begin', 'end'];

interface Soak {
  readonly name: string;
  readonly answers: number;
  readonly rssBytes: readonly number[];
  /** What is open between two steps: after the first, and at the end. */
  readonly openResources: readonly [first: number, last: number];
}

/** Memory over a million answers each of fresh servers in Express and Koa. */
export const measureSoak: Measurement = async (stage) => {
  const soaks: Soak[] = [];
  for (const target of GATEWAYS.filter(({ host }) => host !== 'node')) soaks.push(await soak(stage, target));
  const worst = (read: (each: Soak) => number) => figure([Math.max(...soaks.map(read))]);
  const rows = soaks.map((each) => {
    const memory = SHARES.map((share) => megabytes(rssAt(each, share)));
    return [each.name, count(each.answers), ...memory, ...each.openResources.map(count)];
  });
  const last = worst((each) => rssAt(each, 1) / BYTES_PER_MB);
  const left = worst(({ openResources: [first, end] }) => end - first);
  const growth = worst((each) => rssAt(each, 1) / rssAt(each, 0.5));
  return {
    raw: soaks,
    goals: [
      goal(5, ['RSS after a million answers, the largest', '≤ 150 MB'], last),
      goal(5, ['RSS after a million answers ÷ after half of them', '≤ 1.05 ×'], growth),
      goal(
        5,
        ['Sockets, timers and other resources that are open after a million answers and were not before', '≤ 0'],
        left,
      ),
    ],
    section: section(
      'Long run',
      'RSS in MB over the run. "Open resources" are the sockets, timers and others that keep the event loop busy while no request is under way.',
      table(HEAD, rows),
    ),
  };
};

async function soak(stage: Stage, { id, name }: Target): Promise<Soak> {
  const server = await stage.start(id);
  const rssBytes: number[] = [];
  const openResources: number[] = [];
  let answers = 0;
  while (answers < ANSWERS_WANTED) {
    const sample = await driveClosed(stage, server, { asked: ANSWERS, settleMs: 0, durationMs: STEP_MS });
    answers += sample.completed;
    rssBytes.push(sample.rssBytes);
    openResources.push(await server.child.call.openResources());
  }
  await server.child.stop();
  return {
    name,
    answers,
    rssBytes,
    openResources: [openResources[0] ?? Number.NaN, openResources.at(-1) ?? Number.NaN],
  };
}

function rssAt({ rssBytes }: Soak, share: number): number {
  return rssBytes[Math.round((rssBytes.length - 1) * share)] ?? Number.NaN;
}
