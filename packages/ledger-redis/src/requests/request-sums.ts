import {
  addTo,
  fitsStatistics,
  type LoggedRequest,
  largestOf,
  type PruneLimits,
  type StatisticsEntry,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsStep,
  type SumsByName,
  statisticsOf,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { ERASE_SUMS, LIST_SUMS } from '../scripts/request-scripts.js';

/** How many sums one script looks at: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 500;
const CODES = { minute: '0', hour: '1', day: '2' } as const satisfies Record<StatisticsStep, string>;

/** Name and sums of each group that these calls are in. */
export function sumsOf(rows: readonly LoggedRequest[]): readonly string[] {
  return statisticsOf(rows).flatMap(
    ({ of, step, atMs, endpoint, organizationId, model, provider, outcome, ...sums }) => {
      const group = [of, organizationId, endpoint, model, provider, outcome];
      const durations = sums.durations.flatMap((count, place) => (count === 0 ? [] : [place, count]));
      const counts = [sums.cost, sums.count, sums.rescued, ...durations];
      return [`${placeOf(step, atMs)} ${group.join('\n')}`, counts.join(' ')];
    },
  );
}

/** The names behind it are of this time or later. */
function placeOf(step: StatisticsStep, atMs: number): string {
  return `${CODES[step]} ${`${Math.max(0, Math.ceil(atMs))}`.padStart(16, '0')}`;
}

function entryOf(name: string, sums: string): StatisticsEntry {
  const [first = '', organizationId = '', endpoint = '', model = '', provider = '', outcome = ''] = name.split('\n');
  const [code, atMs, of] = first.split(' ');
  const [cost = '0', ...counts] = sums.split(' ');
  const [count = 0, rescued = 0, ...durations] = counts.map(Number);
  return {
    of: of === 'calls' ? 'calls' : 'attempts',
    step: code === CODES.hour ? 'hour' : 'day',
    atMs: Number(atMs),
    organizationId,
    endpoint,
    model,
    provider,
    outcome,
    count,
    cost: BigInt(cost),
    rescued,
    durations,
  };
}

/** The first names that stay. */
export function placesOf({ hour, day }: PruneLimits['sumsBeforeMs']): readonly string[] {
  return [placeOf('hour', hour), placeOf('day', day)];
}

/** Adds up slices: of all sums, few are of a query. */
export async function readSums({ run }: Scripts, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  const sums: SumsByName<StatisticsField> = new Map();
  const { of, step, sinceMs, untilMs, organizations = [], by } = query;
  const to = placeOf(step, untilMs);
  let from = placeOf(step, sinceMs);
  while (from !== '') {
    const [last = '', ...found] = await run(LIST_SUMS, [from, to, `${AT_ONCE}`, of, ...organizations]);
    const entries = found.flatMap((name, at) => (at % 2 === 0 ? [entryOf(name, found[at + 1] ?? '')] : []));
    addTo(
      sums,
      entries.filter((entry) => fitsStatistics(entry, query)),
      by,
    );
    from = last;
  }
  return largestOf(sums.values());
}

/** Looks through all sums. */
export async function eraseSums({ run }: Scripts, organizationId: string): Promise<void> {
  let from = placeOf('hour', 0);
  while (from !== '') [from = ''] = await run(ERASE_SUMS, [organizationId, from, `${AT_ONCE}`]);
}
