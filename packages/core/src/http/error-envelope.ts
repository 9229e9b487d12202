import type { FieldIssue, LimitScope, UnsupportedOptionDetails } from '../base/errors/error-details.js';
import type { ErrorType, Reason, UpstreamPhase, UpstreamReason } from '../base/errors/reasons.js';
import type { LimitReset } from '../base/time/limit-window.js';

/** The body of every 4xx and 5xx response. */
export interface ErrorEnvelope<R extends Reason = Reason> {
  readonly error: {
    /** The HTTP status. */
    readonly code: number;
    readonly type: ErrorType;
    /** What to branch on; each has a heading in docs/errors.md. */
    readonly reason: R;
    /** One fixed text per reason, for people. */
    readonly message: string;
    /** The field or query parameter at fault. */
    readonly param: string | null;
    /** Whether the same request may succeed later. */
    readonly retryable: boolean;
    readonly request_id: string;
    /** A closed shape per reason; `null` for those that tell nothing more. */
    readonly metadata: R extends keyof ErrorMetadata ? ErrorMetadata[R] : null;
  };
}

/** An error inside another response: what its own would have had. */
export interface Refusal {
  readonly error: ErrorEnvelope['error'];
  /** The `Retry-After` header; `null` for none. */
  readonly retryAfterSeconds: number | null;
}

/** The shape of `error.metadata` for each reason that has one. Amounts are USD. */
export interface ErrorMetadata extends Record<UpstreamReason, UpstreamMetadata> {
  readonly method_not_allowed: { readonly allow: readonly string[] };
  readonly request_too_large: { readonly max_body_bytes: number };
  readonly invalid_field: { readonly issues: readonly FieldIssue[] };
  readonly unsupported_option: UnsupportedOptionDetails;
  readonly max_cost_exceeded: {
    readonly max_cost: number;
    readonly cheapest: { readonly model: string; readonly required: number };
  };
  readonly invalid_parameter: { readonly allowed: readonly string[] };
  readonly model_not_found: { readonly suggestions: readonly string[] };
  readonly model_category_mismatch: { readonly category: string };
  readonly organization_credits_exhausted: BudgetMetadata;
  readonly key_limit_reached: BudgetMetadata;
  readonly budget_in_flight: BudgetMetadata;
  readonly rate_limited: {
    readonly scope: LimitScope;
    /** Requests in a period. */
    readonly limit: number;
    readonly period_seconds: number;
    /** Whole seconds until the next request fits: the `Retry-After` header. */
    readonly retry_after: number;
  };
  readonly concurrency_limited: { readonly scope: LimitScope; readonly limit: number };
}

/** The budget that had no room. */
interface BudgetMetadata {
  readonly limit: number;
  /** Of the present window, where the limit resets. */
  readonly usage: number;
  readonly required: number;
  /** How often the limit resets; `null` for never, which is what an organization's credits do. */
  readonly limit_reset: LimitReset | null;
  /** When it next does, such as `2026-12-01T00:00:00Z`. */
  readonly resets_at: string | null;
}

/** Where and how the last attempt at a provider failed. */
interface UpstreamMetadata {
  readonly provider: string;
  readonly model: string;
  readonly attempts: number;
  readonly upstream_status: number | null;
  readonly phase: UpstreamPhase;
}
