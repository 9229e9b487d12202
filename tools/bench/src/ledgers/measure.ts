import type { Child } from '../processes/child.js';
import { median, short, withSpread } from '../report.js';
import { figureOf } from '../statistics.js';
import { openLedgerProcess } from './engines.js';
import type { LedgerProcess } from './ledger-process.js';

const WARM_UP_MS = 300;
const CASES = [1, 1_000].flatMap((organizations) => [1, 64].map((callers) => ({ organizations, callers })));
export const PAIRS_HEAD = ['ledger', 'organizations', 'callers', 'pairs/s', 'p50 ms', 'p99 ms'];

/** Measures hold + settle pairs. @throws Error unless the ledger charged exactly the acknowledged pairs. */
export async function measurePairs(
  name: string,
  target: string,
  { rounds, durationMs }: { readonly rounds: number; readonly durationMs: number },
): Promise<string[][]> {
  return withLedger(target, async ({ call }) => {
    const rows: string[][] = [];
    for (const load of CASES) {
      const samples: Awaited<ReturnType<typeof call.pairs>>[] = [];
      await call.pairs({ ...load, durationMs: WARM_UP_MS });
      for (let round = 0; round < rounds; round += 1) samples.push(await call.pairs({ ...load, durationMs }));
      const perSecond = withSpread(figureOf(samples, (sample) => sample.perSecond));
      const times = [median(samples, ({ p50Ms }) => p50Ms), median(samples, ({ p99Ms }) => p99Ms)];
      rows.push([name, short(load.organizations), String(load.callers), perSecond, ...times]);
    }
    return rows;
  });
}

/** Milliseconds of each operation, by size of the ledger. @param sizes in pairs, ascending. */
export async function measureGrowth(name: string, target: string, sizes: readonly number[]) {
  return withLedger(target, async ({ call }) => {
    const rows: Record<string, string>[] = [];
    for (const size of sizes) {
      const ms = Object.entries(await call.growth(size)).map(([what, each]) => [what, short(each)] as const);
      rows.push({ ledger: name, pairs: short(size), ...Object.fromEntries(ms) });
    }
    return rows;
  });
}

async function withLedger<Result>(
  target: string,
  work: (child: Child<LedgerProcess>) => Promise<Result>,
): Promise<Result> {
  const child = await openLedgerProcess();
  try {
    await child.call.open(target);
    const result = await work(child);
    await child.call.verify();
    return result;
  } finally {
    await child.stop();
  }
}
