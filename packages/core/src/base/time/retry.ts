import type { Clock } from './clock.js';

/** How the pauses between attempts grow. Every retry of the gateway, its ledgers and its webhooks counts its pause by this. */
export interface Backoff {
  /** The delay after the first failure. */
  readonly firstDelayMs: number;
  /** Each pause is this many times the pause before. */
  readonly factor: number;
  /** The delay grows no further. */
  readonly longestDelayMs: number;
}

/** When another attempt is made, and how many. */
export interface RetryOptions {
  /** How the pauses grow. */
  readonly backoff: Backoff;
  /** Whether another attempt may succeed after this error. Any other error is thrown at once. */
  readonly isTransient: (error: unknown) => boolean;
  /** Most attempts, the first included. @default any number */
  readonly maxAttempts?: number | undefined;
  /** No attempt starts later than this after the first, in milliseconds. @default no limit */
  readonly giveUpAfterMs?: number | undefined;
  /** Measures the pauses. */
  readonly clock: Clock;
  /** From 0 to 1. @default `Math.random` */
  readonly random?: (() => number) | undefined;
}

/**
 * The pause after a failed attempt: half of the grown delay, and up to another half at random, so that processes that wait for each other do not
 * come back all at once.
 *
 * @param retries how many pauses came before.
 */
export function backoffMs(retries: number, backoff: Backoff, random: () => number = Math.random): number {
  const { firstDelayMs, factor, longestDelayMs } = backoff;
  return Math.min(firstDelayMs * factor ** retries, longestDelayMs) * (0.5 + random() / 2);
}

/**
 * Runs an operation again, after a pause, while it fails with a transient error. Only for operations that may be repeated.
 *
 * @throws the error of the last attempt.
 */
export async function retry<T>(operation: () => T | Promise<T>, options: RetryOptions): Promise<T> {
  const { isTransient, maxAttempts = Infinity, giveUpAfterMs = Infinity, clock } = options;
  const startedAtMs = clock.monotonic();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      const isOver = attempt >= maxAttempts || clock.monotonic() - startedAtMs >= giveUpAfterMs;
      if (isOver || !isTransient(error)) throw error;
    }
    const delayMs = backoffMs(attempt - 1, options.backoff, options.random);
    await new Promise<void>((resolve) => void clock.schedule(delayMs, resolve));
  }
}
