import { APICallError } from '@ai-sdk/provider';

/** Longer than the SDK waits between two tries: it follows a `Retry-After` of up to a minute. */
const KEEP_MS = 120_000;
const MAX_KEPT = 100;

/** The `Idempotency-Key`s of the calls of one model. */
export interface CallKeys {
  /** A key for a try: the oldest that tries with the same content have left, else a new one. */
  take(content: string): string;
  /** Leaves the key of a try that has failed to the next one with the same content, where the error says that there may be one. */
  leave(content: string, key: string, error: unknown): void;
}

/**
 * The SDK does not say which tries belong to one call, and `streamText` makes everything it hands to a model again for each of them. So a try
 * is taken for the next one of a call when it asks the same within two minutes. Nothing is kept of a call that has succeeded: who asks the
 * same again later gets a new answer.
 *
 * @param now milliseconds of any clock that does not stand still.
 */
export function createCallKeys(now: () => number = Date.now): CallKeys {
  /** Oldest first. Calls that ask the same at once leave one each. */
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
