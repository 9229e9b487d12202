import { shuttingDown } from '../base/errors/shutting-down.js';
import type { Clock } from '../base/time/clock.js';
import { createSemaphore, type SemaphoreLimits } from './fair-shares.js';
import { createUnsentReplies } from './unsent-replies.js';

/**
 * Counts the requests under way, so that closing can wait for them, and limits how many do the same thing at once. No limit holds before the caller
 * is known: callers without a key would take the slots of others.
 */
export type InFlightRequests = ReturnType<typeof createInFlightRequests>;

export interface InFlightRequestsOptions {
  readonly bodyReads: SemaphoreLimits;
  readonly longBodyReads: SemaphoreLimits;
  readonly answers: SemaphoreLimits;
  /** As {@link createUnsentReplies} takes them. */
  readonly maxUnsentBytes: number;
  readonly clock: Clock;
}

export function createInFlightRequests(options: InFlightRequestsOptions) {
  const { bodyReads, longBodyReads, answers, maxUnsentBytes, clock } = options;
  const answerSlots = createSemaphore(answers);
  const replies = createUnsentReplies({ clock, maxBytes: maxUnsentBytes });
  let underWay = 0;
  let draining = false;
  let stopped = false;
  let onDrained = (): void => undefined;

  return {
    /** Counts a request in; {@link end} counts it out, once. @throws RequestError `shutting_down` (503, retry after 5 s). */
    begin(): void {
      if (draining) throw shuttingDown();
      underWay += 1;
    },
    end(): void {
      underWay -= 1;
      if (underWay === 0) onDrained();
    },
    /** Slots of requests whose body has not arrived yet. */
    bodyReads: createSemaphore(bodyReads),
    /** The same for paths whose bodies are long. */
    longBodyReads: createSemaphore(longBodyReads),
    /** Slots of calls of all kinds. `take` also throws `shutting_down` after {@link stop}. */
    answers: {
      take(organizationId: string) {
        if (stopped) throw shuttingDown();
        answerSlots.take(organizationId);
      },
      free: answerSlots.free,
    },
    replies,
    /** Refuses new requests from now on. Resolves when the last request has ended, after `withinMs` at the latest. To be called once. */
    drain(withinMs: number): Promise<void> {
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
    /** Refuses also requests under way that have no slot for their answer yet. */
    stop(): void {
      stopped = true;
    },
    /** How many requests are under way. */
    get underWay() {
      return underWay;
    },
    /** Whether new requests are refused. */
    get isDraining() {
      return draining;
    },
    /** Whether the time of requests under way is over. */
    get isStopped() {
      return stopped;
    },
  };
}
