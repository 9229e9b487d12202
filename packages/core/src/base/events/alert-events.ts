import type { NanoUsd } from '../money.js';
import type { EventBase } from './event-base.js';

/** What every alert has. */
interface AlertEvent extends EventBase {
  /** The same for the same alert in every process, and each time it is repeated: receivers can drop repeats by it. */
  readonly alertId: string;
  readonly organizationId: string;
}

/** The usage of a key with a limit, or of an organization, has reached a threshold of the option `alerts`. */
export interface BudgetThreshold extends AlertEvent {
  readonly type: 'budget_threshold';
  readonly subject: 'key' | 'organization';
  /** `null` for an organization. */
  readonly keyId: string | null;
  /** As a share of `limit`: a decimal string such as `0.8`. */
  readonly threshold: string;
  /** Of the key in its present window, or of the organization. */
  readonly usage: NanoUsd;
  /** Of the key; the credits of an organization. */
  readonly limit: NanoUsd;
  /** When the limit of the key resets; `null` for one that never does, and for an organization. */
  readonly windowEndsAtMs: number | null;
}

/** What an organization has left has fallen under `creditsLow` of the option `alerts`. */
export interface CreditsLow extends AlertEvent {
  readonly type: 'credits_low';
  /** Credits − usage. Negative where a true cost was more than was held. */
  readonly balance: NanoUsd;
  /** The option. */
  readonly below: NanoUsd;
}
