import { APICallError } from '@ai-sdk/provider';

/** Longer than the longest wait between two tries: the SDK follows a `Retry-After` of up to a minute. */
const KEEP_MS = 120_000;
const MAX_KEPT = 100;

/** The `Idempotency-Key`s of the calls of one model. */
export interface CallKeys {
  /** The key for a try: the oldest key left by failed tries with the same content, else a new key. */
  take(content: string): string;
  /** After a failed try whose error allows a retry: keeps the key for the next try with the same content. */
  leave(content: string, key: string, error: unknown): void;
}

/**
 * The SDK does not say which tries belong to one call, and `streamText` rebuilds the arguments for each try. So a try with the same content
 * within two minutes of a failed try counts as its retry. No key is kept after a success: the same question asked later gets a new answer.
 *
 * @param now milliseconds of any running clock.
 */
export function createCallKeys(now: () => number = Date.now): CallKeys {
  /** Oldest first. Parallel calls with the same content leave a key each. */
  const left: { readonly content: string; readonly key: string; readonly untilMs: number }[] = [];
  return {
    take(content) {
      const index = left.findIndex((each) => each.content === content && now() < each.untilMs);
      const [found] = index === -1 ? [] : left.splice(index, 1);
      return found?.key ?? crypto.randomUUID();
    },
    leave(content, key, error) {
      if (!APICallError.isInstance(error) || !error.isRetryable) return;
      left.push({ content, key, untilMs: now() + KEEP_MS });
      if (left.length > MAX_KEPT) left.shift();
    },
  };
}
