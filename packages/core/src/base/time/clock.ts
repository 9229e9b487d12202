/**
 * Where the gateway takes time from. Injected, so that every wait, cool-down and expiry is tested without sleeping.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going backwards: for durations. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs`. A `background` timer (housekeeping that no caller waits for) does not keep the process alive.
   * @returns a function that cancels the timer; harmless after it has fired.
   */
  schedule(delayMs: number, callback: () => void, background?: 'background'): () => void;
}

/** The machine's own clock and timers. */
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
