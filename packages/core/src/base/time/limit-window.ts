/**
 * How often a key's spend limit starts over: at midnight UTC, at midnight UTC before Monday, or at midnight UTC before the first of a
 * calendar month. Nothing is ever reset by a job: which window a moment falls into follows from the moment alone.
 */
export type LimitReset = 'daily' | 'weekly' | 'monthly';

/** In the order of their length. */
export const LIMIT_RESETS: readonly LimitReset[] = ['daily', 'weekly', 'monthly'];

/** The period a limit counts in, milliseconds since the Unix epoch. */
export interface LimitWindow {
  /** Inclusive. */
  readonly startsAtMs: number;
  /** Exclusive: the first moment of the next window. */
  readonly resetsAtMs: number;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The Unix epoch was a Thursday: the Monday before it. Days may be counted from there as well. */
const FIRST_MONDAY_MS = -3 * DAY_MS;

/** The window a moment falls into. Days, weeks and months of the calendar in UTC, whatever the machine's time zone is. */
export function limitWindowAt(reset: LimitReset, atMs: number): LimitWindow {
  if (reset === 'monthly') return monthAt(new Date(atMs));
  const lengthMs = reset === 'daily' ? DAY_MS : WEEK_MS;
  const startsAtMs = FIRST_MONDAY_MS + Math.floor((atMs - FIRST_MONDAY_MS) / lengthMs) * lengthMs;
  return { startsAtMs, resetsAtMs: startsAtMs + lengthMs };
}

function monthAt(date: Date): LimitWindow {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { startsAtMs: Date.UTC(year, month), resetsAtMs: Date.UTC(year, month + 1) };
}
