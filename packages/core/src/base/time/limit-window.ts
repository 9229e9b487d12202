/**
 * How often a key's spend limit resets: at midnight UTC, at midnight UTC before Monday, or at midnight UTC before the first of a calendar month. No job resets
 * limits: the window of a time follows from the time.
 */
export type LimitReset = 'daily' | 'weekly' | 'monthly';

/** From the shortest to the longest. */
export const LIMIT_RESETS: readonly LimitReset[] = ['daily', 'weekly', 'monthly'];

/** A period of a limit, in milliseconds since the Unix epoch. */
export interface LimitWindow {
  /** Inclusive. */
  readonly startsAtMs: number;
  /** Exclusive: the first moment of the next window. */
  readonly resetsAtMs: number;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The Monday before the Unix epoch, which was a Thursday. Also a midnight, for counting days. */
const FIRST_MONDAY_MS = -3 * DAY_MS;

/** The window of a time: a day, week or month of the UTC calendar, in any time zone of the machine. */
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
