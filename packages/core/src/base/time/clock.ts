/** The gateway's source of time. Injected, so that tests of waits, cool-downs and expiries need no sleep. */
export interface Clock {
  /** Milliseconds since the Unix epoch. May jump if the clock of the machine is set. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going backwards: for durations. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs`. A `background` timer (for housekeeping) does not keep the process alive.
   * @returns a function that cancels the timer; harmless after the callback.
   */
  schedule(delayMs: number, callback: () => void, background?: 'background'): () => void;
}

/** The clock and timers of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback, background) {
    const timer = setTimeout(callback, delayMs);
    if (background !== undefined) timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Whether a value has the methods of a {@link Clock}. */
export function isClock(value: unknown): value is Clock {
  const { now, monotonic, schedule } = (value ?? {}) as Partial<Record<keyof Clock, unknown>>;
  return [now, monotonic, schedule].every((method) => typeof method === 'function');
}

const DAY_MS = 86_400_000;
const MONTHS_A_YEAR = 12;
/** The last day of the year 9999, the last day with a date of four-digit year. */
export const LAST_DAY = 2_932_896;

/** The day of a time, in days since the Unix epoch, in UTC. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** The month of a day since the Unix epoch, in UTC: 0 is January 1970. */
export function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * MONTHS_A_YEAR + date.getUTCMonth();
}

/** The first day of a month. */
export function firstDayOf(month: number): number {
  return dayOf(Date.UTC(1970, month));
}

/** The date of a day, such as `2026-11-21`. */
export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length);
}
