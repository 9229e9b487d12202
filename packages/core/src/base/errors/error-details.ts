import type { NanoUsd } from '../money.js';
import type { LimitReset } from '../time/limit-window.js';
import type { Reason, UpstreamPhase, UpstreamReason } from './reasons.js';

/** A wrong field of a request. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

/** The budget that refused a request: the limit or balance, the used part, and the required amount. */
export interface BudgetDetails {
  /** The id of the budget. Absent for the key's limit and for the organization's credits. */
  readonly budget?: string | undefined;
  /** The limit of the key or the budget, or the organization's credits. */
  readonly limit: NanoUsd;
  /** In the present window, if the limit resets. */
  readonly usage: NanoUsd;
  /** The smallest requested amount. */
  readonly required: NanoUsd;
  /** How often the limit resets; `null` for never, as for an organization's credits. */
  readonly limitReset: LimitReset | null;
  /** When the limit next resets, in milliseconds since the Unix epoch; `null` for never. */
  readonly resetsAtMs: number | null;
}

/** The owner of the limit that refused a request. */
export type LimitScope = 'key' | 'organization';

/** The rate that refused a request. */
interface RateDetails extends ConcurrencyDetails {
  readonly periodSeconds: number;
  /** Whole seconds until the next request fits, at least 1. */
  readonly retryAfterSeconds: number;
}

/** The limit of concurrent requests that refused a request. */
interface ConcurrencyDetails {
  readonly scope: LimitScope;
  readonly limit: number;
}

/** The last failed attempt at a provider. */
export interface UpstreamDetails {
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
  readonly upstreamStatus: number | null;
  readonly phase: UpstreamPhase;
  /** Whether the key was the organization's own. Absent for `false`. */
  readonly byok?: true | undefined;
}

/** The pages that could not be read, with the reason of each. */
export interface FailedPagesDetails extends UpstreamDetails {
  readonly failed: readonly { readonly url: string; readonly reason: string }[];
}

/** The search options that a model does not support. */
interface UnsupportedOptionDetails {
  readonly options: readonly string[];
  /** Up to five slugs of models that support the options and that the key may call. */
  readonly models: readonly string[];
  /** The first of the options, where a domain rule of the key or its organization asks for it. */
  readonly ruled?: string | undefined;
}

/** The maximum cost of a call, and the model with the lowest required hold. */
interface MaxCostDetails {
  readonly maxCost: NanoUsd;
  readonly cheapest: { readonly model: string; readonly required: NanoUsd };
}

/** The reasons of a request for which a limit or balance has no room. */
export type BudgetReason =
  | 'organization_credits_exhausted'
  | 'key_limit_reached'
  | 'budget_exceeded'
  | 'budget_in_flight';

/** The details of each reason: a closed shape per reason. Other reasons have no details. */
export interface ErrorDetails
  extends Record<BudgetReason, BudgetDetails>,
    Record<Exclude<UpstreamReason, 'no_page_extracted'>, UpstreamDetails> {
  readonly no_page_extracted: FailedPagesDetails;
  readonly method_not_allowed: { readonly allow: readonly string[] };
  readonly request_too_large: { readonly maxBodyBytes: number } | { readonly maxInputCharacters: number };
  readonly invalid_field: { readonly issues: readonly FieldIssue[] };
  readonly model_not_found: { readonly suggestions: readonly string[] };
  /** `path` serves models of the category; `null` where this gateway does not. */
  readonly model_category_mismatch: { readonly category: string; readonly path: string | null };
  readonly unsupported_option: UnsupportedOptionDetails;
  /** `models`: up to five slugs of models that could serve the call, have the required policies, and that the key may call. */
  readonly policy_not_met: { readonly require: readonly string[]; readonly models: readonly string[] };
  readonly max_cost_exceeded: MaxCostDetails;
  readonly invalid_parameter: { readonly allowed: readonly string[] };
  readonly rate_limited: RateDetails;
  readonly concurrency_limited: ConcurrencyDetails;
}

/** The details of a reason; `undefined` for a reason without details. */
export type DetailsOf<R extends Reason> = R extends keyof ErrorDetails ? ErrorDetails[R] : undefined;
