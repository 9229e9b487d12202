import { addPacked, collectStatistics, nameOfSum, type PackedSums } from './packed-sums.js';
import { type FoundRequest, placeOf, type RequestLog, type RequestPage } from './request-log.js';
import {
  DURATION_BOUNDS,
  isFailed,
  STEPS_MS,
  type StatisticsQuery,
  type StatisticsRows,
  type StatisticsStep,
} from './request-statistics.js';

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
  const sums: PackedSums = new Map();
  let cursor: string | null | undefined;
  for (let pages = 0; pages < MAX_PAGES && cursor !== null; pages += 1) {
    const next = { limit: PAGE, cursor, attempts: of === 'attempts' };
    const { rows, nextCursor }: RequestPage = await find({ sinceMs, untilMs, organizations }, next);
    addCalls(sums, rows, 'minute');
    cursor = nextCursor;
  }
  // Of the minute before, some calls were not read.
  const countedSinceMs = typeof cursor === 'string' ? endOfMinute(placeOf(cursor).atMs) : undefined;
  const statistics = collectStatistics({ ...query, sinceMs: Math.max(sinceMs, countedSinceMs ?? 0) });
  statistics.add(sums);
  return Object.assign(statistics.rows(), countedSinceMs === undefined ? {} : { countedSinceMs });
}

function endOfMinute(atMs: number): number {
  return (Math.floor(atMs / STEPS_MS.minute) + 1) * STEPS_MS.minute;
}

/** The sums of calls, by their names. */
export function packedOf(rows: readonly FoundRequest[], step: StatisticsStep): PackedSums {
  const sums: PackedSums = new Map();
  addCalls(sums, rows, step);
  return sums;
}

/** Adds calls to sums of a step. */
export function addCalls(sums: PackedSums, rows: readonly FoundRequest[], step: StatisticsStep): void {
  let begin = Number.NaN;
  let span = '';
  for (const row of rows) {
    const atMs = Math.floor(row.atMs / STEPS_MS[step]) * STEPS_MS[step];
    // Numbers take long to become texts, and nearly all calls are of the same span.
    if (atMs !== begin) span = `${atMs}`;
    begin = atMs;
    count(sums, span, row);
  }
}

function count(sums: PackedSums, span: string, row: FoundRequest): void {
  const rescued = row.rescued ? 1 : 0;
  const isCached = row.cache === 'hit' && row.status < 400;
  const { organizationId, endpoint } = row;
  const called = {
    of: 'calls',
    organizationId,
    endpoint,
    model: row.model ?? '',
    provider: row.provider ?? '',
    outcome: isCached ? 'cached' : (row.reason ?? 'answered'),
  } as const;
  addPacked(sums, nameOfSum(span, called), { cost: row.cost ?? 0n, counts: countsOf(rescued, row.durationMs) });
  for (const { model, provider, outcome, cost, durationMs } of row.attempts ?? []) {
    const attempted = { of: 'attempts', organizationId, endpoint, model, provider, outcome } as const;
    const counts = countsOf(isFailed(outcome) ? rescued : 0, durationMs);
    addPacked(sums, nameOfSum(span, attempted), { cost: cost ?? 0n, counts });
  }
}

function countsOf(rescued: number, durationMs: number): number[] {
  const counts = [1, rescued, ...NONE];
  let place = 0;
  while (durationMs > (DURATION_BOUNDS[place] ?? Number.POSITIVE_INFINITY)) place += 1;
  counts[place + 2] = 1;
  return counts;
}

const NONE = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
