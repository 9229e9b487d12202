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
