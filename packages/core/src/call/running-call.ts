import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import type { AnswerRequest } from './answer.js';
import type { Failed, StrategyResult } from './answer-strategy.js';

type Waiting = Pick<AnswerRequest, 'isDisconnected'>;

/** The result of the first caller's hold: the held amount, or the reason why no call can be joined. */
export type Beginning = { readonly status: 'held'; readonly amount: NanoUsd } | Failed;

/** Most calls that may wait for the answer of one call. */
export const MAX_JOINED = 1_000;

/** A call at providers whose answer other calls wait for. Both promises always resolve: `begun` after the first caller's hold, `ended` at its end. */
export class RunningCall {
  readonly begun: Promise<Beginning>;
  readonly ended: Promise<StrategyResult>;
  readonly #waiting: Set<Waiting>;
  #begin: (beginning: Beginning) => void = () => undefined;
  #end: (delivery: StrategyResult) => void = () => undefined;
  #isAbandoned = false;

  constructor(first: Waiting) {
    this.#waiting = new Set([first]);
    this.begun = new Promise((resolve) => (this.#begin = resolve));
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Whether another call may join. */
  get isOpen(): boolean {
    return !this.#isAbandoned && this.#waiting.size <= MAX_JOINED;
  }

  /** True once all waiting callers have gone away. It then stays true, so that no caller joins a call that is about to end. */
  isAbandoned(): boolean {
    this.#isAbandoned ||= [...this.#waiting].every((each) => each.isDisconnected());
    return this.#isAbandoned;
  }

  join(other: Waiting): void {
    this.#waiting.add(other);
  }

  leave(other: Waiting): void {
    this.#waiting.delete(other);
  }

  begin(amount: NanoUsd): void {
    this.#begin({ status: 'held', amount });
  }

  end(delivery: StrategyResult): void {
    this.#end(delivery);
  }

  /** Ends the call with an error, before or after it has begun. */
  fail(thrown: unknown): void {
    const error = isRequestError(thrown) ? thrown : new RequestError('internal_error', { cause: thrown });
    const failed: Failed = { status: 'failed', error, losses: [] };
    this.#begin(failed);
    this.#end(failed);
  }
}
