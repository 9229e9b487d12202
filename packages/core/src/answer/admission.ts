import { RequestError } from '../errors.js';

/**
 * Who may come in: counts the calls in flight, refuses those over `maxInFlight` and, once closing has begun, all.
 * The place for limits that need no ledger.
 */
export interface Admission {
  /** @throws RequestError `shutting_down` (503, retry after 5 s). */
  requireOpen(): void;
  /**
   * Counts a call in. @returns the function that counts it out again; call it exactly once.
   * @throws RequestError `shutting_down`, or `overloaded` (503, retry after 1 s).
   */
  enter(): () => void;
  /** Refuses new calls from now on. @returns a promise that resolves when the last call has left. */
  close(): Promise<void>;
}

const SHUTTING_DOWN_RETRY_MS = 5_000;
const OVERLOADED_RETRY_MS = 1_000;

export function createAdmission(maxInFlight: number): Admission {
  let inFlight = 0;
  let closing = false;
  let drained: () => void = () => undefined;
  const whenDrained = new Promise<void>((resolve) => {
    drained = resolve;
  });

  function requireOpen(): void {
    if (closing) throw new RequestError('shutting_down', { retryAfterMs: SHUTTING_DOWN_RETRY_MS });
  }

  function leave(): void {
    inFlight -= 1;
    if (closing && inFlight === 0) drained();
  }

  return {
    requireOpen,
    enter() {
      requireOpen();
      if (inFlight >= maxInFlight) throw new RequestError('overloaded', { retryAfterMs: OVERLOADED_RETRY_MS });
      inFlight += 1;
      return leave;
    },
    close() {
      closing = true;
      if (inFlight === 0) drained();
      return whenDrained;
    },
  };
}
