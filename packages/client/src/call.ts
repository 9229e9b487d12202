import type { CallOptions } from './client-options.js';
import { readTimeout, type Settings } from './read-options.js';
import { clientError } from './searchgate-error.js';

/** Time and chance, so that tests need no patience. */
export interface Timers {
  /** Milliseconds of a clock that is never set back. */
  now(): number;
  /** From 0 to 1, without 1. */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason once it is aborted. */
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

/** One call from its beginning to its end, retries included. */
export interface Call {
  /** Ends whatever the call is waiting for. Its reason is a SearchgateError. */
  readonly signal: AbortSignal;
  /** When the call ends at the latest, by {@link Timers.now}. */
  readonly deadline: number;
  /** What the call fails with: why it was ended, where that is what the error comes from. */
  failure(error: unknown): unknown;
  /** Has to be called when nothing of the call is left. */
  end(): void;
}

/** @throws TypeError where `timeoutMs` is wrong. */
export function beginCall(options: CallOptions, settings: Settings, timers: Timers): Call {
  const timeoutMs = readTimeout(options, settings.timeoutMs);
  const controller = new AbortController();
  const { signal } = controller;
  const given = options.signal;
  const onAbort = () => controller.abort(clientError('aborted', { cause: given?.reason }));
  if (given?.aborted === true) onAbort();
  else given?.addEventListener('abort', onAbort, { once: true });
  // Last, since it would stay where an invalid signal throws.
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
