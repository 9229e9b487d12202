import type { RequestError } from '../errors/request-error.js';
import type { Charge, Loss } from '../ledger/ledger.js';
import type { NanoUsd } from '../money/money.js';
import type { LiveStream } from './live-stream.js';
import type { DeliveredOutcome } from './present-outcome.js';

/** Where the answer of a call comes from: providers, an answer that was kept, or another call that is asking the same. */
export interface AnswerSource {
  /** Sets aside what the answer may cost the caller. @throws RequestError */
  hold(holdId: string): Promise<HeldAnswer>;
}

/** An answer to be had, now that money is held for it. */
export interface HeldAnswer {
  readonly amount: NanoUsd;
  /** Gets it, once. @param live where the answer is wanted while it comes. */
  deliver(live: LiveStream | null): Promise<Delivery>;
}

/** How it ended: with an answer and what the caller is charged, or with the error for the caller and what failed attempts may have cost. */
export type Delivery = Delivered | Undelivered;

export interface Delivered {
  readonly status: 'answered';
  readonly outcome: DeliveredOutcome;
  readonly charge: Charge;
  /** What the charge is without the caller's markup. */
  readonly beforeMarkup: NanoUsd;
}

export interface Undelivered {
  readonly status: 'failed';
  readonly error: RequestError;
  readonly losses: readonly Loss[];
}
