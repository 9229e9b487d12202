import { ANSWERS, driveClosed } from '../drive.js';
import { count, goal, type Measurement, megabytes, section, table } from '../report.js';
import { GATEWAYS, type Stage, type Target } from '../stage.js';
import { figure } from '../statistics.js';

const ANSWERS_WANTED = 1_000_000;
const STEP_MS = 5_000;
const BYTES_PER_MB = 1024 ** 2;
const SHARES = [0, 0.25, 0.5, 0.75, 1];
const HEAD = ['server', 'answers', 'begin', '25 %', '50 %', '75 %', 'end'];

interface Soak {
  readonly name: string;
  readonly answers: number;
  readonly rssBytes: readonly number[];
}

/** Memory over a million answers each of fresh servers in Express and Koa. */
export const measureSoak: Measurement = async (stage) => {
  const soaks: Soak[] = [];
  for (const target of GATEWAYS.filter(({ host }) => host !== 'node')) soaks.push(await soak(stage, target));
  const worst = (read: (each: Soak) => number) => figure([Math.max(...soaks.map(read))]);
  const rows = soaks.map((each) => {
    return [each.name, count(each.answers), ...SHARES.map((share) => megabytes(rssAt(each, share)))];
  });
  const last = worst((each) => rssAt(each, 1) / BYTES_PER_MB);
  const growth = worst((each) => rssAt(each, 1) / rssAt(each, 0.5));
  return {
    raw: soaks,
    goals: [
      goal(5, ['RSS after a million answers, the largest', '≤ 150 MB'], last),
      goal(5, ['RSS after a million answers ÷ after half of them', '≤ 1.05 ×'], growth),
    ],
    section: section('Long run', 'RSS in MB over the run.', table(HEAD, rows)),
  };
};

async function soak(stage: Stage, { id, name }: Target): Promise<Soak> {
  const server = await stage.start(id);
  const rssBytes: number[] = [];
  let answers = 0;
  while (answers < ANSWERS_WANTED) {
    const sample = await driveClosed(stage, server, { asked: ANSWERS, settleMs: 0, durationMs: STEP_MS });
    answers += sample.completed;
    rssBytes.push(sample.rssBytes);
  }
  await server.child.stop();
  return { name, answers, rssBytes };
}

function rssAt({ rssBytes }: Soak, share: number): number {
  return rssBytes[Math.round((rssBytes.length - 1) * share)] ?? Number.NaN;
}
