import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';

/** Whose rates a request counts against, and what they are; absent or `null` for none. */
export interface AdmitRequest {
  readonly organizationId: string;
  readonly keyId: string;
  readonly keyRateLimit?: RateLimit | null | undefined;
  /** Of all keys of the organization together. */
  readonly organizationRateLimit?: RateLimit | null | undefined;
}

export interface HoldRequest extends AdmitRequest {
  readonly holdId: string;
  /** Most holds of the key that are open at once, this one included; absent or `null` for any number. */
  readonly keyMaxConcurrent?: number | null | undefined;
  /** The same of all keys of the organization together. */
  readonly organizationMaxConcurrent?: number | null | undefined;
  /** `false` for a call that waits for the answer of another: its hold counts against no number of open holds, now or later. Default `true`. */
  readonly usesSlot?: boolean | undefined;
  /** The key's spend limit; `null` for none. */
  readonly keyLimit: NanoUsd | null;
  /** How often the limit starts over; absent or `null` for never. */
  readonly keyLimitReset?: LimitReset | null | undefined;
  readonly amount: NanoUsd;
  /**
   * Amounts to hold where `amount` does not fit: strictly descending, all below `amount`, at most {@link MAX_SMALLER_AMOUNTS}. Default
   * none.
   */
  readonly acceptableAmounts?: readonly NanoUsd[] | undefined;
  readonly expiresAtMs: number;
  /** The slug asked for; kept for `expired` entries. */
  readonly model: string;
  /** The caller's own word for what the call is for; kept with the charge and the losses. 1 to 64 characters that are printed. */
  readonly tag?: string | undefined;
}

/** What is known of a hold. */
export interface HoldRecord {
  readonly holdId: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly status: 'open' | 'settled' | 'released' | 'expired';
  /** What was charged; `0n` unless settled, or expired with a charge. */
  readonly cost: NanoUsd;
  /** The slug that ran; the one asked for where none did. */
  readonly model: string;
  /** Who served; `null` where no one did, or where it is not known. */
  readonly provider: string | null;
  readonly createdAtMs: number;
  /** `null` while the hold is open. */
  readonly endedAtMs: number | null;
}

/** Most amounts a hold may name besides the first: more than a call has candidates. */
export const MAX_SMALLER_AMOUNTS = 16;

export type HoldResult = HoldAccepted | HoldRefused;

export interface HoldAccepted {
  readonly status: 'held';
  /** What is held: `amount` of the request, or the largest of its `acceptableAmounts` that fits. */
  readonly amount: NanoUsd;
  /** This request included. Only where the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}

/** How much of each rate limit is used, in requests and parts of them; `null` where there is no limit. */
export interface RatesUsed {
  readonly key: number | null;
  readonly organization: number | null;
}

export type HoldRefused = BudgetRefused | AdmissionRefused;

/** No slot, or no room in a rate. Which limit it was the request says itself. */
export interface AdmissionRefused {
  readonly status: 'refused';
  readonly by: 'key_concurrency' | 'organization_concurrency' | 'key_rate' | 'organization_rate';
  /** Without this request. Only where the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}

export type AdmitResult = { readonly status: 'admitted'; readonly ratesUsed: RatesUsed } | AdmissionRefused;

export interface BudgetRefused {
  readonly status: 'refused';
  /** Which of the two had no room; the key's limit is named when both had none. */
  readonly by: 'key_limit' | 'organization_credits';
  /** The key's limit, or the organization's credits. */
  readonly limit: NanoUsd;
  /** Of the present window where the key's limit resets. */
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
  /** The smallest amount asked for. */
  readonly required: NanoUsd;
  /** When the key's limit starts over, if it refused and ever does; else `null`. */
  readonly resetsAtMs: number | null;
  /** True when neither would have refused had nothing been held: worth trying again shortly. */
  readonly fitsWithoutHolds: boolean;
  /** Without this request. Only where the request names a rate limit. */
  readonly ratesUsed?: RatesUsed | undefined;
}
