import { timed } from './command-line.js';
import { ANSWERS, type Asked, driveClosed, MODELS, type Sample } from './drive.js';
import { commitOf, describeEnvironment, environmentText, ROOT } from './environment.js';
import { startLedger } from './ledgers/measure.js';
import { BUSY } from './ledgers/pairs.js';
import { startUp } from './measurements/start-up.js';
import type { Mode } from './modes.js';
import { short, table, verdict, withSpread } from './report.js';
import { GATEWAYS, otherPackages, type Stage, setUpStage } from './stage.js';
import { figure, ratioOf } from './statistics.js';

const BOUND = '≤ 1.03 ×';
const TEXT =
  'Less is better. A ratio is the median over rounds in which both sides took turns, in brackets the quartiles. "Close" means that the quartiles lie on both sides of the bound: run it longer.';
const BYTES_PER_MB = 1024 ** 2;
const MICROS_PER_SECOND = 1e6;

type Costs = Readonly<Record<string, number>>;
type Side = 'now' | 'before';
type Sides<Value> = Readonly<Record<Side, Value>>;
interface Case {
  readonly name: string;
  readonly turns: Sides<() => Promise<Costs>>;
}

/**
 * Compares our packages with those of another checkout, which must be built. Both sides run in the same scripts and frameworks. Each round
 * measures both sides of each case, and every second round begins with the other side. The first round is warm-up.
 */
export async function compareWith(checkout: string, mode: Mode): Promise<void> {
  const environment = describeEnvironment(['undici', 'zod', 'autocannon']);
  const stage = await setUpStage([], false);
  const measured = new Map<string, Sides<number[]>>();
  const take = async (cases: readonly Case[], round: number): Promise<void> => {
    const order = round % 2 === 0 ? (['now', 'before'] as const) : (['before', 'now'] as const);
    for (const { name, turns } of cases) {
      for (const side of order) {
        for (const [what, cost] of Object.entries(await turns[side]())) {
          const sides = measured.get(`${name}: ${what}`) ?? { now: [], before: [] };
          measured.set(`${name}: ${what}`, sides);
          if (round > 0) sides[side].push(cost);
        }
      }
    }
  };
  try {
    const cases = await timed('start', () => startCases(stage, { now: ROOT, before: checkout }, mode));
    for (let round = 0; round <= mode.against.rounds; round += 1) {
      await timed(`round ${round}`, () => take(cases, round));
    }
  } finally {
    await stage.stop();
  }
  const rows = [...measured].map(([name, { now, before }]) => {
    const ratio = ratioOf(now, before, (cost) => cost);
    return [name, short(figure(now).median), short(figure(before).median), withSpread(ratio), verdict(BOUND, ratio)];
  });
  const title = `# Commit ${environment.commit} against ${commitOf(checkout)}`;
  const text = environmentText(environment, `${mode.against.rounds} rounds`);
  const result = table(['what', 'now', 'before', 'now ÷ before', BOUND], rows);
  process.stdout.write(`\n${[title, text, TEXT, result].join('\n\n')}\n`);
}

async function startCases(stage: Stage, checkouts: Sides<string>, { against: drive }: Mode): Promise<Case[]> {
  const both = async <Value>(start: (checkout: string) => Promise<Value>): Promise<Sides<Value>> => ({
    now: await start(checkouts.now),
    before: await start(checkouts.before),
  });
  const cases: Case[] = [];
  for (const { id, name } of GATEWAYS) {
    const servers = await both((checkout) => stage.start(id, { checkout }));
    const turns = (asked: Asked, show: (sample: Sample) => Costs) => {
      const turn = (side: Side) => async () => show(await driveClosed(stage, servers[side], { asked, ...drive }));
      return { now: turn('now'), before: turn('before') };
    };
    cases.push({ name: `answer, ${name}`, turns: turns(ANSWERS, answerCosts) });
    const modelsCosts = ({ cpuMicrosPerRequest }: Sample) => ({ 'CPU µs': cpuMicrosPerRequest });
    cases.push({ name: `GET /models, ${name}`, turns: turns(MODELS, modelsCosts) });
  }
  const starts = async (checkout: string) => async () => ({ ms: (await startUp('gateway', checkout)).milliseconds });
  const ledgers = async (checkout: string) => {
    const { call } = stage.keep(await startLedger([otherPackages(checkout)]));
    return async () => {
      await call.open('memory');
      const { pairsPerSecond } = await call.pairs({ ...BUSY, durationMs: drive.durationMs });
      return { 'µs per pair': MICROS_PER_SECOND / pairsPerSecond };
    };
  };
  return [
    ...cases,
    { name: 'start-up', turns: await both(starts) },
    { name: 'memory ledger', turns: await both(ledgers) },
  ];
}

function answerCosts({ cpuMicrosPerRequest, p50Ms, p99Ms, rssBytes }: Sample): Costs {
  return { 'CPU µs': cpuMicrosPerRequest, 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'RSS MB': rssBytes / BYTES_PER_MB };
}
