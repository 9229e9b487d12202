import { timed } from './command-line.js';
import { type Drives, driveAnswers } from './drive.js';
import { openLedgerProcess } from './ledgers/engines.js';
import { section, short, table, withSpread } from './report.js';
import { GATEWAYS, otherPackages, type Stage } from './stage.js';
import { figure, ratioOf } from './statistics.js';

const BOUND = 1.03;
const TEXT = `Less is better. Each round measures both sides of each case, and every second round begins with the other side. A ratio is the median over the rounds, in brackets the quartiles.`;
const SIDES = ['now', 'before'] as const;

type Costs = Readonly<Record<string, number>>;
type Sides<Value> = Readonly<Record<(typeof SIDES)[number], Value>>;
interface Case {
  readonly name: string;
  readonly turns: Sides<() => Promise<Costs>>;
}

/** Compares this checkout's packages with those of another, built checkout, in the same scripts and frameworks. The first round is warm-up. */
export async function compareWith(checkout: string, stage: Stage, drives: Drives): Promise<string> {
  const measured = new Map<string, Sides<number[]>>();
  const cases = await timed('start', () => startCases(stage, checkout, drives));
  for (let round = 0; round <= drives.rounds; round += 1) {
    const order = round % 2 === 0 ? SIDES : SIDES.toReversed();
    for (const { name, turns } of cases)
      for (const side of order)
        for (const [what, cost] of Object.entries(await turns[side]())) {
          const sides = measured.get(`${name}: ${what}`) ?? { now: [], before: [] };
          measured.set(`${name}: ${what}`, sides);
          if (round > 0) sides[side].push(cost);
        }
  }
  const rows = [...measured].map(([name, { now, before }]) => {
    const ratio = ratioOf(now, before, (cost) => cost);
    const verdict = ratio.median <= BOUND ? 'met' : 'not met';
    return [name, short(figure(now).median), short(figure(before).median), withSpread(ratio), verdict];
  });
  return section(`Against ${checkout}`, TEXT, table(['what', 'now', 'before', 'now ÷ before', `≤ ${BOUND} ×`], rows));
}

async function startCases(stage: Stage, checkout: string, drives: Drives): Promise<Case[]> {
  const both = async (start: (from: string | undefined) => Promise<() => Promise<Costs>>) => ({
    now: await start(undefined),
    before: await start(checkout),
  });
  const cases: Case[] = [];
  for (const target of GATEWAYS) {
    const turns = await both(async (from) => {
      const server = await stage.start(target, from);
      return async () => {
        const { cpuMicros, p50Ms, p99Ms } = await driveAnswers(stage, server, drives);
        return { 'CPU µs': cpuMicros, 'p50 ms': p50Ms, 'p99 ms': p99Ms };
      };
    });
    cases.push({ name: `answer, ${target.name}`, turns });
  }
  const pairs = await both(async (from) => {
    const { call } = stage.keep(await openLedgerProcess(otherPackages(from)));
    return async () => {
      await call.open('memory');
      const { perSecond } = await call.pairs({ organizations: 1_000, callers: 64, durationMs: drives.durationMs });
      return { 'µs per pair': 1e6 / perSecond };
    };
  });
  return [...cases, { name: 'memory ledger', turns: pairs }];
}
