import type { RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import type { Charge, Loss } from '../ledger/ledger.js';
import type { LiveStream } from './live-stream.js';
import type { DeliveredOutcome } from './present-outcome.js';

/**
 * Where the answer of a call comes from: providers, an answer that was kept, or another call that is asking the same.
 *
 * @typeParam Held what it needs to know of its hold.
 */
export interface AnswerStrategy<Held extends HeldAnswer = HeldAnswer> {
  /** Sets aside what the answer may cost the caller. @throws RequestError */
  hold(holdId: string): Promise<Held>;
  /** Gets the answer, once, now that money is held for it. @param live where it is wanted while it comes. */
  deliver(held: Held, live: LiveStream | null): Promise<StrategyResult>;
}

export interface HeldAnswer {
  readonly amount: NanoUsd;
}

/** How it ended: with an answer and what the caller is charged, or with the error for the caller and what failed attempts may have cost. */
export type StrategyResult = Delivered | Failed;

export interface Delivered {
  readonly status: 'answered';
  readonly outcome: DeliveredOutcome;
  readonly charge: Charge;
  /** What the charge is without the caller's markup. */
  readonly beforeMarkup: NanoUsd;
}

export interface Failed {
  readonly status: 'failed';
  readonly error: RequestError;
  readonly losses: readonly Loss[];
}
