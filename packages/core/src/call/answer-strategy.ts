import type { RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import type { MaybePromise } from '../base/options/open-state.js';
import type { CallStream } from '../kinds/kind-call.js';
import type { Charge, Loss } from '../ledger/ledger.js';

/**
 * How a call gets its answer: from providers, from the cache, or from a matching call in flight.
 *
 * @typeParam Held the strategy's own data about its hold.
 */
export interface AnswerStrategy<Held extends HeldAnswer = HeldAnswer> {
  /** Holds money for the answer. @throws RequestError */
  hold(holdId: string): MaybePromise<Held>;
  /** Gets the answer. Called once, after `hold`. @param live the caller's stream; `null` when the caller wants the whole answer at once. */
  deliver(held: Held, live: CallStream | null): Promise<StrategyResult>;
}

export interface HeldAnswer {
  readonly amount: NanoUsd;
}

/** A hold that knows how the call gets its answer. */
export interface OwnHold extends HeldAnswer {
  deliver(live: CallStream | null): Promise<StrategyResult>;
}

/** The answer and its charge, or the error for the caller and the possible costs of failed attempts. */
export type StrategyResult = Delivered | Failed;

export interface Delivered {
  readonly status: 'answered';
  /** What the call of the caller can present. */
  readonly value: unknown;
  readonly charge: Charge;
  /** The charge without the caller's markup. */
  readonly beforeMarkup: NanoUsd;
  /** The part of the charge that is the fee for the organization's own key, which has no markup. Absent where the key was the operator's. */
  readonly fee?: NanoUsd | undefined;
}

export interface Failed {
  readonly status: 'failed';
  readonly error: RequestError;
  readonly losses: readonly Loss[];
}
