import { RequestError } from '../errors/request-error.js';
import type { Clock } from '../time/clock.js';
import type { TimeLimit } from '../time/time-limit.js';

export interface FailureBucketOptions {
  /** How many fit in, and how many a minute drains. */
  readonly failuresPerMinute: number;
  readonly clock: Clock;
  /** How long an attempt waits for its turn. */
  readonly turns: TimeLimit;
}

interface Waiter {
  /** Lets the attempt begin; it is counted already. */
  begin: () => void;
  refuse: (error: RequestError) => void;
}

const MINUTE_MS = 60_000;
const MAX_WAITING = 10_000;
const RETRY_AFTER_MS = 1_000;

/**
 * A leaky bucket: failures fill it, time drains it. An attempt under way may still fail, so it takes the room of a failure until it has ended.
 * Where only such attempts leave no room, the next ones wait.
 */
export class FailureBucket {
  readonly #options: FailureBucketOptions;
  #failures = 0;
  /** Of the monotonic clock: when `#failures` was right. */
  #atMs: number;
  #attempts = 0;
  /** In the order they came. */
  readonly #waiting = new Set<Waiter>();

  constructor(options: FailureBucketOptions) {
    this.#options = options;
    this.#atMs = options.clock.monotonic();
  }

  /** Whether a new bucket would do as well. */
  get isUnused(): boolean {
    return this.#failures === 0 && this.#attempts === 0;
  }

  /**
   * Counts an attempt in, at once or when it is its turn.
   *
   * @throws RequestError `auth_rate_limited` for a full bucket; `overloaded` after too long a wait, or where too many wait.
   */
  async begin(): Promise<void> {
    this.#drain();
    if (this.#isFull) throw this.#limited();
    if (this.#hasRoom) this.#attempts += 1;
    else await this.#turn();
  }

  /** Counts an attempt out, and lets in or refuses those that wait. */
  end(hasFailed: boolean): void {
    this.#drain();
    this.#attempts -= 1;
    if (hasFailed) this.#failures += 1;
    for (const waiter of this.#waiting) {
      if (this.#isFull) waiter.refuse(this.#limited());
      else if (this.#hasRoom) this.#beginNow(waiter);
      else return;
      this.#waiting.delete(waiter);
    }
  }

  #beginNow(waiter: Waiter): void {
    this.#attempts += 1;
    waiter.begin();
  }

  #turn(): Promise<void> {
    if (this.#waiting.size >= MAX_WAITING) throw overloaded();
    const waiter: Waiter = { begin: () => undefined, refuse: () => undefined };
    const wait = () =>
      new Promise<void>((resolve, reject) => {
        waiter.begin = resolve;
        waiter.refuse = reject;
      });
    this.#waiting.add(waiter);
    return this.#options.turns.run(wait, () => {
      this.#waiting.delete(waiter);
      return overloaded();
    });
  }

  #drain(): void {
    const { clock, failuresPerMinute } = this.#options;
    const nowMs = clock.monotonic();
    this.#failures = Math.max(0, this.#failures - ((nowMs - this.#atMs) * failuresPerMinute) / MINUTE_MS);
    this.#atMs = nowMs;
  }

  /** Whether no failure fits in, whatever the attempts under way come to. */
  get #isFull(): boolean {
    return this.#failures + 1 > this.#options.failuresPerMinute;
  }

  get #hasRoom(): boolean {
    return this.#failures + this.#attempts + 1 <= this.#options.failuresPerMinute;
  }

  #limited(): RequestError {
    const { failuresPerMinute } = this.#options;
    const excess = this.#failures + 1 - failuresPerMinute;
    return new RequestError('auth_rate_limited', { retryAfterMs: (excess * MINUTE_MS) / failuresPerMinute });
  }
}

function overloaded(): RequestError {
  return new RequestError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
}
