import type { Clock } from '@searchgate/core/ledger';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward and runs the timers that are due, in the order of their times (equal times: in the order they were scheduled),
   * also those that a callback schedules. All promise callbacks run before the first timer, between timers and after the last one.
   * What a timer callback throws rejects the promise; time then stays at that timer.
   *
   * @throws RangeError for a negative or non-finite `ms`.
   */
  advance(ms: number): Promise<void>;
  /** Sets the time of day back, as an operator does. Timers and `monotonic()` do not notice. */
  setBack(ms: number): void;
  /** How many timers are waiting: a test can assert that none was left behind. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

const MONOTONIC_START_MS = 1_000;

/** @param startMs what `now()` says at first; default 2026-01-01T00:00:00Z. `monotonic()` starts elsewhere, so that mixing them up shows. */
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

/** A turn of the event loop runs every promise callback first, however long their chain. */
function flushMicrotasks(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
