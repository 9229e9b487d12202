import { shuttingDown } from '../base/errors/shutting-down.js';
import type { Clock } from '../base/time/clock.js';
import { createSemaphore, type Semaphore, type SemaphoreLimits } from './fair-shares.js';
import { createUnsentReplies, type UnsentReplies } from './unsent-replies.js';

/**
 * Counts the requests under way, so that closing can wait for them, and limits how many do the same thing at once. No limit holds before the caller
 * is known: callers without a key would take the slots of others.
 */
export interface InFlightRequests {
  /** Counts a request in; {@link end} counts it out, once. @throws RequestError `shutting_down` (503, retry after 5 s). */
  begin(): void;
  end(): void;
  /** Slots of requests whose body has not arrived yet. */
  readonly bodyReads: Pick<Semaphore, 'take' | 'free'>;
  /** The same for paths whose bodies are long. */
  readonly longBodyReads: Pick<Semaphore, 'take' | 'free'>;
  /** Slots of calls of all kinds. `take` also throws `shutting_down` after {@link stop}. */
  readonly answers: Pick<Semaphore, 'take' | 'free'>;
  readonly replies: UnsentReplies;
  /** Refuses new requests from now on. Resolves when the last request has ended, after `withinMs` at the latest. To be called once. */
  drain(withinMs: number): Promise<void>;
  /** Refuses also requests under way that have no slot for their answer yet. */
  stop(): void;
  /** How many requests are under way. */
  readonly underWay: number;
  /** Whether new requests are refused. */
  readonly isDraining: boolean;
  /** Whether the time of requests under way is over. */
  readonly isStopped: boolean;
}

export interface InFlightRequestsOptions {
  readonly bodyReads: SemaphoreLimits;
  readonly longBodyReads: SemaphoreLimits;
  readonly answers: SemaphoreLimits;
  /** As {@link createUnsentReplies} takes them. */
  readonly maxUnsentBytes: number;
  readonly clock: Clock;
}

export function createInFlightRequests(options: InFlightRequestsOptions): InFlightRequests {
  const { bodyReads, longBodyReads, answers, maxUnsentBytes, clock } = options;
  const answerSlots = createSemaphore(answers);
  const replies = createUnsentReplies({ clock, maxBytes: maxUnsentBytes });
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
    longBodyReads: createSemaphore(longBodyReads),
    answers: {
      take(organizationId) {
        if (stopped) throw shuttingDown();
        answerSlots.take(organizationId);
      },
      free: answerSlots.free,
    },
    replies,
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
    get isStopped() {
      return stopped;
    },
  };
}
