import type { Clock } from '@searchgate/core/ledger';

/** A clock that only a test moves. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward and runs all due timers in order of their times (for equal times, in order of scheduling), including timers that a
   * callback schedules. All promise callbacks run before the first timer, between timers and after the last timer. An error of a callback
   * rejects the promise; time then stays at that timer.
   *
   * @throws RangeError for a negative or non-finite `ms`.
   */
  advance(ms: number): Promise<void>;
  /** Sets the time of day back, as an operator might. Timers and `monotonic()` are not affected. */
  setBack(ms: number): void;
  /** Number of waiting timers: a test can assert that none is left. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

const MONOTONIC_START_MS = 1_000;

/** @param startMs first value of `now()`; default 2026-01-01T00:00:00Z. `monotonic()` starts elsewhere, so that a mix-up shows. */
export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  const timers = new Set<Timer>();
  let elapsedMs = 0;
  let behindMs = 0;

  function nextDue(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }

  return {
    now: () => startMs + elapsedMs - behindMs,
    monotonic: () => MONOTONIC_START_MS + elapsedMs,
    schedule(delayMs, callback) {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`a clock cannot advance by ${ms} ms`);
      const untilMs = elapsedMs + ms;
      await flushMicrotasks();
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        timers.delete(timer);
        elapsedMs = Math.max(elapsedMs, timer.dueMs);
        timer.callback();
        await flushMicrotasks();
      }
      elapsedMs = Math.max(elapsedMs, untilMs);
    },
    setBack(ms) {
      behindMs += ms;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Waits a turn of the event loop, which first runs every promise callback. */
function flushMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
