import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** The common fields of alerts. */
interface AlertBase extends EventBase {
  /** The same id for the same alert in every process and in every repetition, so that receivers can drop repetitions. */
  readonly alertId: string;
  /** The organization whose money it is about. */
  readonly organizationId: string;
}

/** The budget that an alert is about: of a key with a limit, a budget that keys share, or of an organization. */
interface BudgetEvent extends AlertBase {
  /** Whose budget. */
  readonly subject: 'key' | 'budget' | 'organization';
  /** Only for a key, else `null`. */
  readonly keyId: string | null;
  /** The id of a shared budget, else `null`. */
  readonly budget: string | null;
  /** The usage of the key or the budget in its present window, or of the organization. */
  readonly usage: NanoUsd;
  /** The limit of the key or the budget, or the credits of the organization. */
  readonly limit: NanoUsd;
  /** When the limit resets, in milliseconds since the Unix epoch; `null` for never, and for an organization. */
  readonly windowEndsAtMs: number | null;
}

/** The usage of a budget has reached a threshold of the option `alerts`. */
export interface BudgetThreshold extends BudgetEvent {
  readonly type: 'budget_threshold';
  /** A share of `limit`, as a decimal string such as `0.8`. */
  readonly threshold: string;
}

/** A call was refused because a budget is too small for it, also without the calls in flight. */
interface BudgetExhausted extends BudgetEvent {
  readonly type: 'budget_exhausted';
  /** The least amount that the refused call needed. */
  readonly wanted: NanoUsd;
  /** `limit` − `usage`, which is less than `wanted`. */
  readonly rest: NanoUsd;
}

/** The balance of an organization has fallen below `creditsLow` of the option `alerts`. */
interface CreditsLow extends AlertBase {
  readonly type: 'credits_low';
  /** Credits − usage. Negative if a true cost was higher than the held amount. */
  readonly balance: NanoUsd;
  /** The value of the option. */
  readonly below: NanoUsd;
}

/** The events about the money of organizations. */
export type AlertEvent = BudgetThreshold | BudgetExhausted | CreditsLow;
