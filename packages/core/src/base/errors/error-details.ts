import type { NanoUsd } from '../money.js';
import type { LimitReset } from '../time/limit-window.js';
import type { Reason, UpstreamPhase, UpstreamReason } from './reasons.js';

/** One wrong field of a request. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** The budget that refused a request: the limit or balance, what is used of it, and what the request needs. */
export interface BudgetDetails {
  readonly limit: NanoUsd;
  /** Of the present window, where the limit resets. */
  readonly usage: NanoUsd;
  readonly required: NanoUsd;
  /** How often the limit starts over; `null` for never, as for an organization's credits. */
  readonly limitReset: LimitReset | null;
  /** When it next does, milliseconds since the Unix epoch. */
  readonly resetsAtMs: number | null;
}

/** Whose limit refused a request. */
export type LimitScope = 'key' | 'organization';

/** The rate that refused a request. */
interface RateDetails {
  readonly scope: LimitScope;
  /** Requests in a period. */
  readonly limit: number;
  readonly periodSeconds: number;
  /** Whole seconds until the next request fits, at least 1. */
  readonly retryAfterSeconds: number;
}

/** The number of requests at once that refused another. */
interface ConcurrencyDetails {
  readonly scope: LimitScope;
  readonly limit: number;
}

/** Where and how the last attempt at a provider failed. */
export interface UpstreamDetails {
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
  readonly upstreamStatus: number | null;
  readonly phase: UpstreamPhase;
}

/** What a model cannot do of what was asked of its search. */
interface UnsupportedOptionDetails {
  readonly options: readonly string[];
  /** Up to five slugs of models that can, and that the key may call. */
  readonly models: readonly string[];
}

/** The bound of a call, and the least of what would have to be held for one of its models. */
interface MaxCostDetails {
  readonly maxCost: NanoUsd;
  readonly cheapest: { readonly model: string; readonly required: NanoUsd };
}

/** What each reason tells beside its message: a closed shape per reason, nothing for the others. */
export interface ErrorDetails extends Record<UpstreamReason, UpstreamDetails> {
  readonly method_not_allowed: { readonly allow: readonly string[] };
  readonly request_too_large: { readonly maxBodyBytes: number };
  readonly invalid_field: { readonly issues: readonly FieldIssue[] };
  readonly model_not_found: { readonly suggestions: readonly string[] };
  readonly model_category_mismatch: { readonly category: string };
  readonly unsupported_option: UnsupportedOptionDetails;
  readonly max_cost_exceeded: MaxCostDetails;
  readonly invalid_parameter: { readonly allowed: readonly string[] };
  readonly organization_credits_exhausted: BudgetDetails;
  readonly key_limit_reached: BudgetDetails;
  readonly budget_in_flight: BudgetDetails;
  readonly rate_limited: RateDetails;
  readonly concurrency_limited: ConcurrencyDetails;
}

/** The details of one reason; `undefined` where it has none. */
export type DetailsOf<R extends Reason> = R extends keyof ErrorDetails ? ErrorDetails[R] : undefined;
