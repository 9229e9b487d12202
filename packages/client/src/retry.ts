import type { Call, Timers } from './call.js';
import { isSearchgateError } from './searchgate-error.js';

/** A reply that asks for a longer wait ends the call. */
const MAX_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

export interface RetryOptions {
  readonly maxRetries: number;
  readonly timers: Timers;
}

/**
 * Tries until there is a result, an error that no retry can help, or no retry left. Waits as the reply asks, else half a second and twice as long each time,
 * between a half and the whole of that by chance.
 *
 * @throws SearchgateError of the last try. At once where the wait would outlast the call or be longer than 60 s.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  call: Call,
  { maxRetries, timers }: RetryOptions,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const failure = call.failure(error);
      const mayRetry = isSearchgateError(failure) && failure.retryable && retries < maxRetries && !call.signal.aborted;
      if (!mayRetry) throw failure;
      const waitMs = failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** retries * (0.5 + timers.random() / 2);
      if (waitMs > MAX_WAIT_MS || timers.now() + waitMs >= call.deadline) throw failure;
      await timers.sleep(waitMs, call.signal);
    }
  }
}
