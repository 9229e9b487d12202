import type { NanoUsd } from '../base/money.js';
import { type LoggedRequest, placeOf, type RequestLog, type RequestPage, type RequestRow } from './request-log.js';
import {
  type Counts,
  DURATION_BOUNDS,
  fitsStatistics,
  isFailed,
  largestOf,
  STEPS_MS,
  type StatisticsEntry,
  type StatisticsQuery,
  type StatisticsRows,
  type StatisticsStep,
  summed,
} from './request-statistics.js';

/** A call, with its attempts where they are to be counted. */
type Call = RequestRow & Partial<LoggedRequest>;

const MAX_RANGE_MS = 3 * STEPS_MS.hour;
const PAGE = 1_000;
const MAX_PAGES = 50;

/** Counts calls by minute, a page after the other, the newest first. @param find of the log. @throws RangeError for more than 3 hours. */
export async function statisticsOfMinutes(find: RequestLog['find'], query: StatisticsQuery): Promise<StatisticsRows> {
  const { of, sinceMs, organizationId } = query;
  if (query.untilMs - sinceMs > MAX_RANGE_MS)
    throw new RangeError('minutes are of 3 hours at most: ask for a shorter time, or for hours');
  const untilMs = endOfMinute(query.untilMs - 1);
  const organizations = query.organizations ?? (organizationId === undefined ? undefined : [organizationId]);
  const entries: StatisticsEntry[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; pages < MAX_PAGES && cursor !== null; pages += 1) {
    const next = { limit: PAGE, cursor, attempts: of === 'attempts' };
    const { rows, nextCursor }: RequestPage = await find({ sinceMs, untilMs, organizations }, next);
    entries.push(...statisticsOf(rows, ['minute']).filter((entry) => fitsStatistics(entry, query)));
    cursor = nextCursor;
  }
  if (typeof cursor !== 'string') return largestOf(summed(entries, query.by));
  // Of the minute before, some calls were not read.
  const countedSinceMs = endOfMinute(placeOf(cursor).atMs);
  const whole = entries.filter(({ atMs }) => atMs >= countedSinceMs);
  return Object.assign(largestOf(summed(whole, query.by)), { countedSinceMs });
}

function endOfMinute(atMs: number): number {
  return (Math.floor(atMs / STEPS_MS.minute) + 1) * STEPS_MS.minute;
}

/** The sums of calls. Each group of each span comes once. */
export function statisticsOf(rows: readonly Call[], steps: readonly StatisticsStep[] = STEPS): StatisticsEntry[] {
  const spans = steps.map((step) => ({ step, begins: new Map<number, Groups>() }));
  for (const row of rows)
    for (const counted of countedOf(row)) {
      const { of, model, provider, outcome } = counted;
      // All calls come here, so names have no times: numbers take long to become texts.
      const group = `${of}\n${row.endpoint}\n${row.organizationId}\n${model}\n${provider}\n${outcome}`;
      for (const { step, begins } of spans) countIn(begins, { row, counted, step, group });
    }
  return spans.flatMap(({ begins }) => [...begins.values()].flatMap((groups) => [...groups.values()]));
}

function countedOf(row: Call): readonly Counted[] {
  const rescued = row.rescued ? 1 : 0;
  const isCached = row.cache === 'hit' && row.status < 400;
  const call = {
    of: 'calls' as const,
    model: row.model ?? '',
    provider: row.provider ?? '',
    outcome: isCached ? 'cached' : (row.reason ?? 'answered'),
    cost: row.cost,
    rescued,
    durationMs: row.durationMs,
  };
  const attempts = (row.attempts ?? []).map(({ model, provider, outcome, cost, durationMs }) => {
    const ofAnswered = isFailed(outcome) ? rescued : 0;
    return { of: 'attempts' as const, model, provider, outcome, cost, rescued: ofAnswered, durationMs };
  });
  return [call, ...attempts];
}

const STEPS = ['hour', 'day'] as const;

interface Counted extends Pick<StatisticsEntry, 'of' | 'model' | 'provider' | 'outcome' | 'rescued'> {
  readonly cost: NanoUsd | null;
  readonly durationMs: number;
}

type Groups = Map<string, Counts & StatisticsEntry>;

interface Place {
  readonly row: Call;
  readonly counted: Counted;
  readonly step: StatisticsStep;
  readonly group: string;
}

function countIn(begins: Map<number, Groups>, { row, counted, step, group }: Place): void {
  const atMs = Math.floor(row.atMs / STEPS_MS[step]) * STEPS_MS[step];
  const groups = begins.get(atMs) ?? new Map<string, Counts & StatisticsEntry>();
  begins.set(atMs, groups);
  let sum = groups.get(group);
  if (sum === undefined) {
    const { of, model, provider, outcome } = counted;
    const { endpoint, organizationId } = row;
    const durations = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
    const none = { count: 0, cost: 0n, rescued: 0, durations };
    sum = { of, step, atMs, endpoint, organizationId, model, provider, outcome, ...none };
    groups.set(group, sum);
  }
  const bound = DURATION_BOUNDS.findIndex((most) => counted.durationMs <= most);
  const place = bound === -1 ? DURATION_BOUNDS.length : bound;
  sum.count += 1;
  sum.cost += counted.cost ?? 0n;
  sum.rescued += counted.rescued;
  sum.durations[place] = (sum.durations[place] ?? 0) + 1;
}
