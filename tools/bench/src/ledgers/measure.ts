import type { Child } from '../processes/child.js';
import { median, short, withSpread } from '../report.js';
import { figure, figureOf, ratioOf } from '../statistics.js';
import { openLedgerProcess } from './engines.js';
import type { LedgerProcess } from './ledger-process.js';

const WARM_UP_MS = 300;
const WITHOUT = [1, 1_000].flatMap((organizations) =>
  [1, 64].map((callers) => ({ organizations, callers, budgets: 0 })),
);
const CASES = [...WITHOUT, { organizations: 1_000, callers: 64, budgets: 3 }];
export const PAIRS_HEAD = ['ledger', 'organizations', 'callers', 'budgets', 'pairs/s', 'p50 ms', 'p99 ms', 'of none'];
/** Many keys of one organization, all of one team. */
const TEAM = { organizations: 1, keys: 64 };
const CALLERS_OF_TEAM = 64;
export const TEAM_HEAD = ['ledger', 'processes', 'pairs/s without a budget', 'with that of the team', 'of none'];

interface Sampling {
  readonly rounds: number;
  readonly durationMs: number;
}

/** Measures hold + settle pairs, the cases in turn. @throws Error unless the ledger charged exactly the acknowledged pairs. */
export async function measurePairs(
  name: string,
  target: string,
  { rounds, durationMs }: Sampling,
): Promise<string[][]> {
  return withLedger(target, 1, async ([child]) => {
    const samples = CASES.map((): Awaited<ReturnType<typeof child.call.pairs>>[] => []);
    for (const load of CASES) await child.call.pairs({ ...load, durationMs: WARM_UP_MS });
    for (let round = 0; round < rounds; round += 1)
      for (const [index, load] of CASES.entries())
        samples[index]?.push(await child.call.pairs({ ...load, durationMs }));
    return CASES.map(({ organizations, callers, budgets }, index) => {
      const [own = [], base = []] = [samples[index], samples[WITHOUT.length - 1]];
      const perSecond = withSpread(figureOf(own, (sample) => sample.perSecond));
      const times = [median(own, ({ p50Ms }) => p50Ms), median(own, ({ p99Ms }) => p99Ms)];
      const ratio = budgets === 0 ? '–' : withSpread(ratioOf(own, base, (sample) => sample.perSecond));
      return [name, short(organizations), String(callers), String(budgets), perSecond, ...times, ratio];
    });
  });
}

/** Measures the pairs of one busy team, with its budget and without, in turn. */
export async function measureTeam(name: string, target: string, { rounds, durationMs }: Sampling): Promise<string[][]> {
  return withLedger(target, 4, async (children) => {
    const rows: string[][] = [];
    for (const processes of [1, children.length]) {
      const used = children.slice(0, processes);
      const sample = async (budgets: number, lastingMs: number) => {
        const load = { ...TEAM, budgets, callers: CALLERS_OF_TEAM / processes, durationMs: lastingMs };
        const samples = await Promise.all(used.map(({ call }) => call.pairs(load)));
        return samples.reduce((sum, { perSecond }) => sum + perSecond, 0);
      };
      const [without, withOne]: [number[], number[]] = [[], []];
      for (const budgets of [0, 1]) await sample(budgets, WARM_UP_MS);
      for (let round = 0; round < rounds; round += 1) {
        without.push(await sample(0, durationMs));
        withOne.push(await sample(1, durationMs));
      }
      const ratio = ratioOf(withOne, without, (each) => each);
      rows.push([name, String(processes), ...[figure(without), figure(withOne), ratio].map(withSpread)]);
    }
    return rows;
  });
}

/** Milliseconds of each operation, by size of the ledger. @param sizes in pairs, ascending. */
export async function measureGrowth(name: string, target: string, sizes: readonly number[]) {
  return withLedger(target, 1, async ([{ call }]) => {
    const rows: Record<string, string>[] = [];
    for (const size of sizes) {
      const ms = Object.entries(await call.growth(size)).map(([what, each]) => [what, short(each)] as const);
      rows.push({ ledger: name, pairs: short(size), ...Object.fromEntries(ms) });
    }
    return rows;
  });
}

type Children = readonly [Child<LedgerProcess>, ...Child<LedgerProcess>[]];

async function withLedger<Result>(
  target: string,
  processes: number,
  work: (children: Children) => Promise<Result>,
): Promise<Result> {
  const children: [Child<LedgerProcess>, ...Child<LedgerProcess>[]] = [await openLedgerProcess()];
  try {
    while (children.length < processes) children.push(await openLedgerProcess());
    for (const [index, { call }] of children.entries()) await call.open(target, index);
    const result = await work(children);
    const made = await Promise.all(children.map(({ call }) => call.made()));
    await children[0].call.verify(made.reduce((sum, each) => sum + each, 0));
    return result;
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}
