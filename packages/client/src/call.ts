import type { CallOptions } from './client-options.js';
import { readTimeout, type Settings } from './read-options.js';
import { clientError } from './searchgate-error.js';

/** Clock and randomness, injected by tests. */
export interface Timers {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason on abort. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_TIMERS: Timers = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  },
};

/** One call from start to end, retries included. */
export interface Call {
  /** Aborts every wait of the call. Its reason is a SearchgateError. */
  readonly signal: AbortSignal;
  /** Latest end of the call, by {@link Timers.now}. */
  readonly deadline: number;
  /** The error to throw: the reason of the call's abort if it was aborted, else `error`. */
  failure(error: unknown): unknown;
  /** Must be called when the call is over. */
  end(): void;
}

/** @throws TypeError for an invalid `timeoutMs`. */
export function beginCall(options: CallOptions, settings: Settings, timers: Timers): Call {
  const timeoutMs = readTimeout(options, settings.timeoutMs);
  const controller = new AbortController();
  const { signal } = controller;
  const given = options.signal;
  const onAbort = () => controller.abort(clientError('aborted', { cause: given?.reason }));
  if (given?.aborted === true) onAbort();
  else given?.addEventListener('abort', onAbort, { once: true });
  // Last: an invalid signal throws above, and would leave the timer running.
  const timer = setTimeout(() => controller.abort(clientError('timeout', { retryable: true })), timeoutMs);
  return {
    signal,
    deadline: timers.now() + timeoutMs,
    failure: (error) => (signal.aborted ? (signal.reason as unknown) : error),
    end() {
      clearTimeout(timer);
      given?.removeEventListener('abort', onAbort);
    },
  };
}
