import type { BudgetDetails } from '../base/errors/error-details.js';
import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';
import type { HoldBudget } from './hold-budget.js';

/** The rates that a request counts against; absent or `null` for no rate limit. */
export interface AdmitRequest {
  /** Whose rate counts, and with a hold its slots. */
  readonly organizationId: string;
  /** Whose rate counts, and with a hold its slots. */
  readonly keyId: string;
  /** The rate limit of the key alone. */
  readonly keyRateLimit?: RateLimit | null | undefined;
  /** The rate limit of all keys of the organization together. */
  readonly organizationRateLimit?: RateLimit | null | undefined;
}

/** What a call sets aside before it is made. */
export interface HoldRequest extends AdmitRequest {
  /** A new id; the id of the later charge. */
  readonly holdId: string;
  /** Most open holds of the key at once, this hold included; absent or `null` for any number. */
  readonly keyMaxConcurrent?: number | null | undefined;
  /** Most open holds of all keys of the organization together. */
  readonly organizationMaxConcurrent?: number | null | undefined;
  /** `false` for a call that waits for the answer of another call: its hold does not count as open, now or later. Default `true`. */
  readonly usesSlot?: boolean | undefined;
  /** The spend limit of the key; `null` for no limit. */
  readonly keyLimit: NanoUsd | null;
  /** How often the limit resets; absent or `null` for never. */
  readonly keyLimitReset?: LimitReset | null | undefined;
  /** Further budgets, which all need room: at most {@link MAX_BUDGETS_OF_CALL}, each id once. Default: none. */
  readonly budgets?: readonly HoldBudget[] | undefined;
  /** `true` if the operator pays for the organization: the hold skips the organization's balance. Usage is counted, and may pass the credits. */
  readonly operatorPays?: boolean | undefined;
  /** Nanodollars to hold. */
  readonly amount: NanoUsd;
  /**
   * Amounts to hold if `amount` does not fit: strictly descending, all below `amount`, at most {@link MAX_ACCEPTABLE_AMOUNTS}. Default: no other amounts.
   */
  readonly acceptableAmounts?: readonly NanoUsd[] | undefined;
  /** From then on `expireHolds` ends it, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  /** The requested slug, for `expired` entries. */
  readonly model: string;
  /** The caller's tag of the call; stored with the charge and the losses. 1 to 64 printable characters. */
  readonly tag?: string | undefined;
}

/** A hold, open or ended. */
export interface HoldRecord {
  /** As in its request. */
  readonly holdId: string;
  /** As in its request. */
  readonly organizationId: string;
  /** As in its request. */
  readonly keyId: string;
  /** `settled` is charged, `released` is not; `expired` was ended by the ledger. */
  readonly status: 'open' | 'settled' | 'released' | 'expired';
  /** The charge; `0n` unless settled, or expired with a charge. */
  readonly cost: NanoUsd;
  /** The slug that ran, or the requested slug if no model ran. */
  readonly model: string;
  /** The provider that answered; `null` if no provider answered or the provider is unknown. */
  readonly provider: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** `null` while the hold is open. */
  readonly endedAtMs: number | null;
}

/** Most amounts in `acceptableAmounts`: more than a call has candidates. */
export const MAX_ACCEPTABLE_AMOUNTS = 16;

/** Whether the amount is held. */
export type HoldResult = HoldAccepted | HoldRefused;

/** The amount is held until the hold is settled, released or expires. */
export interface HoldAccepted {
  readonly status: 'held';
  /** The held amount: `amount` of the request, or the largest of its `acceptableAmounts` that fits. */
  readonly amount: NanoUsd;
  /** With this request. Only if the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}

/** The used part of each rate limit, in requests and fractions of requests; `null` for no limit. */
export interface RatesUsed {
  /** Of the key's rate limit. */
  readonly key: number | null;
  /** Of the organization's rate limit. */
  readonly organization: number | null;
}

/** Nothing is held, and nothing has changed. */
export type HoldRefused = BudgetRefused | AdmissionRefused;

/** No slot, or no room in a rate. Which limit it was the request says itself. */
export interface AdmissionRefused {
  readonly status: 'refused';
  /** The limit that has no room. */
  readonly by: 'key_concurrency' | 'organization_concurrency' | 'key_rate' | 'organization_rate';
  /** Without this request. Only if the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}

/** Whether a request fits its rate limits. An admitted request counts against them. */
export type AdmitResult =
  | {
      readonly status: 'admitted';
      /** With this request. */
      readonly ratesUsed: RatesUsed;
    }
  | AdmissionRefused;

/** A budget has no room for even the smallest amount. */
export interface BudgetRefused extends Omit<BudgetDetails, 'limitReset'> {
  readonly status: 'refused';
  /** The exhausted budget; of several the first of this list. */
  readonly by: 'key_limit' | 'budget' | 'organization_credits';
  /** The id of the first exhausted budget of the request. Only where `by` is `budget`. */
  readonly budget?: string | undefined;
  /** Nanodollars in the open holds of the key, the budget or the organization. */
  readonly held: NanoUsd;
  /** True if the hold would fit without the open holds: worth trying again shortly. */
  readonly fitsWithoutHolds: boolean;
  /** Without this request. Only if the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}
