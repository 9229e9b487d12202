import { shuttingDown } from '../base/errors/shutting-down.js';
import type { Clock } from '../base/time/clock.js';
import { createSemaphore, type Semaphore, type SemaphoreLimits } from './semaphore.js';

/**
 * Who may come in: counts the calls under way, so that closing can wait for them, and bounds what they do at once. Nothing is bounded
 * before the caller is known: callers without a key would take the slots of the others. The slot for limits that need no ledger.
 */
export interface InFlightRequests {
  /** Counts a call in; {@link end} counts it out, once. @throws RequestError `shutting_down` (503, retry after 5 s). */
  begin(): void;
  end(): void;
  /** Semaphore of calls whose body has not arrived yet. */
  readonly bodyReads: Semaphore;
  /** Semaphore of calls that are being answered. Taking one throws `shutting_down` as well, once closing no longer waits. */
  readonly answers: Semaphore;
  /** Refuses new calls from now on. Resolves when the last one has ended, after `withinMs` at the latest. One at a time. */
  drain(withinMs: number): Promise<void>;
  /** Refuses also calls that are under way and have not taken a slot for their answer yet. */
  stop(): void;
  /** How many calls are under way. */
  readonly underWay: number;
  /** Whether new calls are refused. */
  readonly isDraining: boolean;
}

export interface AdmissionOptions {
  readonly bodyReads: SemaphoreLimits;
  readonly answers: SemaphoreLimits;
  readonly clock: Clock;
}

export function createInFlightRequests({ bodyReads, answers, clock }: AdmissionOptions): InFlightRequests {
  const answerSlots = createSemaphore(answers);
  let underWay = 0;
  let draining = false;
  let stopped = false;
  let onDrained = (): void => undefined;

  return {
    begin() {
      if (draining) throw shuttingDown();
      underWay += 1;
    },
    end() {
      underWay -= 1;
      if (underWay === 0) onDrained();
    },
    bodyReads: createSemaphore(bodyReads),
    answers: {
      take(organizationId) {
        if (stopped) throw shuttingDown();
        answerSlots.take(organizationId);
      },
      free: answerSlots.free,
    },
    drain(withinMs) {
      draining = true;
      if (underWay === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const cancelTimer = clock.schedule(withinMs, resolve);
        onDrained = () => {
          cancelTimer();
          resolve();
        };
      });
    },
    stop() {
      stopped = true;
    },
    get underWay() {
      return underWay;
    },
    get isDraining() {
      return draining;
    },
  };
}
