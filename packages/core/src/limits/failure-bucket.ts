import { RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';

const MINUTE_MS = 60_000;

/**
 * A leaky bucket: failures fill it, time drains it. An attempt under way may still fail, so one that has been let in keeps room for a failure until
 * it has ended.
 */
export class FailureBucket {
  /** How many fit in, and how many a minute drains. */
  readonly #failuresPerMinute: number;
  readonly #clock: Clock;
  #failures = 0;
  /** Of the monotonic clock: when `#failures` was right. */
  #atMs: number;
  #attempts = 0;

  constructor(failuresPerMinute: number, clock: Clock) {
    this.#failuresPerMinute = failuresPerMinute;
    this.#clock = clock;
    this.#atMs = clock.monotonic();
  }

  /** Whether a new bucket would do as well. */
  get isUnused(): boolean {
    return this.#failures === 0 && this.#attempts === 0;
  }

  /** Lets an attempt in where there is room for its failure. @returns whether it did; `end` has to follow then. */
  begin(): boolean {
    if (this.#excess() > 0) return false;
    this.#attempts += 1;
    return true;
  }

  end(): void {
    this.#attempts -= 1;
  }

  /** Counts a failure. @param hasRoom whether `begin` has kept room for it. @returns what to say instead where there is none: `auth_rate_limited`. */
  fail(hasRoom: boolean): RequestError | undefined {
    const excess = this.#excess();
    if (!hasRoom && excess > 0) {
      const retryAfterMs = (excess * MINUTE_MS) / this.#failuresPerMinute;
      return new RequestError('auth_rate_limited', { retryAfterMs });
    }
    this.#failures += 1;
    return undefined;
  }

  /** By how much one more failure would be too many. */
  #excess(): number {
    this.#drain();
    return this.#failures + this.#attempts + 1 - this.#failuresPerMinute;
  }

  #drain(): void {
    const nowMs = this.#clock.monotonic();
    const drained = ((nowMs - this.#atMs) * this.#failuresPerMinute) / MINUTE_MS;
    this.#failures = Math.max(0, this.#failures - drained);
    this.#atMs = nowMs;
  }
}
