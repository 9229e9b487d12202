import type { Configuration, DayResult } from './simulate-day.js';

const models = ['first/answer', 'second/answer', 'third/answer'] as const;
const [asks, second, third] = models;
/** Four attempts: one for a retry after all three models have failed. */
const chain = { asks, fallbacks: { [asks]: [second, third] }, maxAttempts: 4 };

/** The compared configurations, by their names in the table. */
export const CONFIGURATIONS: { readonly [name: string]: Configuration; readonly fallback: Configuration } = {
  'no fallback': { asks },
  fallback: chain,
  'fallback and hedging': {
    ...chain,
    hedging: { 'first/answer': { afterMs: 6_000, with: 'second/answer', maxExtraCost: '0.02' }, maxShare: 0.2 },
  },
  'latency routing': { asks: 'auto', groups: { auto: { models, sort: 'latency' } }, maxAttempts: 4 },
};

/** The table in the documentation. */
export function dayTable(results: ReadonlyMap<string, DayResult>): string {
  const rows = [...results].map(([name, { calls, durationsMs, billed }]) => {
    const answered = durationsMs.length;
    const cells = [
      percent(answered / calls),
      seconds(percentile(durationsMs, 0.5)),
      seconds(percentile(durationsMs, 0.99)),
      `$${(Number(billed) / 1e9 / answered).toFixed(5)}`,
    ];
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return ['| | answered | p50 | p99 | cost per answer |', '| --- | ---: | ---: | ---: | ---: |', ...rows].join('\n');
}

/** By nearest rank. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
