import type { Clock } from './clock.js';

/** Bounds how long anybody waits for something that cannot be cancelled. */
export interface TimeLimit {
  /**
   * Starts the work and waits for it, but no longer than the limit, after which it rejects with `onTimeout()`. The work itself goes on.
   * Work that throws instead of rejecting rejects.
   */
  run<T>(start: () => Promise<T>, onTimeout: (work: Promise<T>) => Error): Promise<T>;
}

interface Waiting {
  readonly endsAtMs: number;
  expire(): void;
}

/**
 * One limit for many waits, with one timer for all of them: since all wait equally long, the one that began first ends first. A timer
 * for each would cost every request several microseconds, nearly always for nothing.
 */
export function createTimeLimit(clock: Clock, limitMs: number): TimeLimit {
  /** In order of their ends. */
  const waiting = new Set<Waiting>();
  let isArmed = false;

  function arm(delayMs: number): void {
    isArmed = true;
    clock.schedule(delayMs, expireDue, 'background');
  }

  function expireDue(): void {
    isArmed = false;
    const nowMs = clock.monotonic();
    for (const wait of waiting) {
      if (wait.endsAtMs > nowMs) {
        arm(wait.endsAtMs - nowMs);
        return;
      }
      waiting.delete(wait);
      wait.expire();
    }
  }

  return {
    run: (start, onTimeout) =>
      new Promise((resolve, reject) => {
        const work = start();
        const wait: Waiting = { endsAtMs: clock.monotonic() + limitMs, expire: () => reject(onTimeout(work)) };
        waiting.add(wait);
        if (!isArmed) arm(limitMs);
        work.then(
          (value) => {
            waiting.delete(wait);
            resolve(value);
          },
          (error: Error) => {
            waiting.delete(wait);
            reject(error);
          },
        );
      }),
  };
}
