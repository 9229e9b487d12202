import type { NanoUsd } from '../base/money.js';

/** The upper bounds of durations in milliseconds, by which they are counted; longer ones have a count of their own at the end. */
export const DURATION_BOUNDS = [
  50, 100, 200, 350, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000,
] as const;

/** How long sums by hour are kept. */
export const HOURS_KEPT_MS = 35 * 86_400_000;
/** How long sums by day are kept. */
export const DAYS_KEPT_MS = 400 * 86_400_000;

/** The length of a sum's span. */
export const STEPS_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
/** A minute, an hour or a day, in UTC. */
export type StatisticsStep = keyof typeof STEPS_MS;
/** The spans whose sums are kept. */
export type SumStep = Exclude<StatisticsStep, 'minute'>;

/** What is counted together. */
export interface StatisticsGroup {
  /** `answer`, or a kind of calls such as `search`, as of the calls. */
  readonly endpoint: string;
  /** The organization that pays. */
  readonly organizationId: string;
  /** Of a call the slug that served, else the last that was asked; empty where none was asked. */
  readonly model: string;
  /** Its provider; empty for none. */
  readonly provider: string;
  /** `answered`, `cached`, or the reason of the failure; of an attempt also `hedged`. */
  readonly outcome: string;
}

/** Counts of calls or of attempts. */
export interface StatisticsSums {
  /** How many there were. */
  readonly count: number;
  /** Of calls what was charged; of attempts what is known of their cost, before markup. */
  readonly cost: NanoUsd;
  /** Calls that were answered after a failed attempt; failed attempts of answered calls. */
  readonly rescued: number;
  /** How many took at most each of {@link DURATION_BOUNDS}, and how many longer: not added up. */
  readonly durations: readonly number[];
}

/** The sums of one group in one span. */
export interface StatisticsEntry extends StatisticsGroup, StatisticsSums {
  /** What is counted. */
  readonly of: 'calls' | 'attempts';
  /** The length of the span. */
  readonly step: StatisticsStep;
  /** The begin of the minute, the hour or the day (UTC). Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** The fields by which sums can be told apart. */
export type StatisticsField = keyof StatisticsGroup | 'atMs';

/** Which sums. */
export interface StatisticsQuery extends Partial<StatisticsGroup> {
  /** What is counted. */
  readonly of: 'calls' | 'attempts';
  /** The length of the spans. Minutes are counted from the newest 50,000 calls of at most 3 hours. */
  readonly step: StatisticsStep;
  /** Of spans that begin at this time or later. Milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** Of spans that begin before. */
  readonly untilMs: number;
  /** Of one of these organizations. Default: all. */
  readonly organizations?: readonly string[] | undefined;
  /** No field twice; empty for one sum of all. */
  readonly by: readonly StatisticsField[];
}

/** Sums, with the fields that were asked for. */
export type StatisticsRow = StatisticsSums & {
  readonly [Field in StatisticsField]?: StatisticsEntry[Field] | undefined;
};

/** The rows of an answer. */
export interface StatisticsRows extends ReadonlyArray<StatisticsRow> {
  /** Of minutes, where there were too many calls to count: the first minute that was counted. Milliseconds since the Unix epoch. */
  readonly countedSinceMs?: number | undefined;
}

/** Most rows that a log gives: those with the highest counts. */
export const MAX_STATISTICS_ROWS = 10_000;

/** Whether an attempt has failed. */
export function isFailed(outcome: string): boolean {
  return outcome !== 'answered' && outcome !== 'hedged';
}

/** Whether sums belong to what is asked. */
export function fitsStatistics(entry: StatisticsEntry, query: StatisticsQuery): boolean {
  const { of, step, sinceMs, untilMs, organizations, by: _, ...equal } = query;
  if (entry.of !== of || entry.step !== step || entry.atMs < sinceMs || entry.atMs >= untilMs) return false;
  if (organizations !== undefined && !organizations.includes(entry.organizationId)) return false;
  const wanted = Object.entries<string | undefined>(equal);
  return wanted.every(([field, value]) => value === undefined || entry[field as keyof StatisticsGroup] === value);
}

/**
 * An estimate of a quantile from counted durations: linear inside of a span; the longest bound for what is longer.
 *
 * @param share from 0 to 1. @returns milliseconds; `null` without durations.
 */
export function quantileMs(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, counted) => sum + counted, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [at, counted] of durations.entries()) {
    const wanted = total * share - before;
    if (counted > 0 && wanted <= counted) {
      const from = DURATION_BOUNDS[at - 1] ?? 0;
      const to = DURATION_BOUNDS[at] ?? from;
      return from + ((to - from) * Math.max(0, wanted)) / counted;
    }
    before += counted;
  }
  return DURATION_BOUNDS.at(-1) ?? null;
}
