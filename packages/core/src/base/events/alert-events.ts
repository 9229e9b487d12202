import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** The common fields of alerts. */
interface AlertEvent extends EventBase {
  /** The same id for the same alert in every process and in every repetition, so that receivers can drop repetitions. */
  readonly alertId: string;
  readonly organizationId: string;
}

/** The usage of a key with a limit, or of an organization, has reached a threshold of the option `alerts`. */
export interface BudgetThreshold extends AlertEvent {
  readonly type: 'budget_threshold';
  readonly subject: 'key' | 'organization';
  /** `null` for an organization. */
  readonly keyId: string | null;
  /** A share of `limit`, as a decimal string such as `0.8`. */
  readonly threshold: string;
  /** The usage of the key in its present window, or of the organization. */
  readonly usage: NanoUsd;
  /** The limit of the key, or the credits of the organization. */
  readonly limit: NanoUsd;
  /** When the limit of the key resets, in milliseconds since the Unix epoch; `null` for never, and for an organization. */
  readonly windowEndsAtMs: number | null;
}

/** The balance of an organization has fallen below `creditsLow` of the option `alerts`. */
export interface CreditsLow extends AlertEvent {
  readonly type: 'credits_low';
  /** Credits − usage. Negative if a true cost was higher than the held amount. */
  readonly balance: NanoUsd;
  /** The value of the option. */
  readonly below: NanoUsd;
}
