import { setTimeout as sleep } from 'node:timers/promises';

const MOST_ATTEMPTS = 7;
const FIRST_PAUSE_MS = 8;
const LONGEST_PAUSE_MS = 1_500;

/**
 * Runs an operation again while it fails for reasons that pass, at most six times within about two seconds, with pauses that grow and vary
 * at random so that processes do not come back all at once. Only for operations that may be repeated.
 *
 * @throws the error of the last attempt.
 */
export async function withRetries<T>(operation: () => Promise<T>, mayPass: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !mayPass(error)) throw error;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 3 ** (attempt - 1), LONGEST_PAUSE_MS);
      await sleep(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}
