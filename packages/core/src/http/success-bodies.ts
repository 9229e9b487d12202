import type { LimitReset } from '../base/time/limit-window.js';
import type { Category } from '../catalog/model-entry.js';
import type { AnswerCitation } from '../request/answer-reply.js';

/** The body of a 200 of `POST /api/v1/answer`. */
export interface AnswerBody {
  readonly id: string;
  /** The slug that ran. It differs from what was asked for after an alias or a fallback. */
  readonly model: string;
  readonly provider: string;
  readonly answer: string;
  /** Left out with `"include_citations": false`. */
  readonly citations?: readonly AnswerCitation[] | undefined;
  /** USD, what was charged. */
  readonly usage: { readonly cost: number };
}

/** The body of a 200 of `GET /api/v1/models`. */
export interface ModelsBody {
  readonly data: readonly ModelBody[];
}

/** One model of {@link ModelsBody}. A field that does not apply is `null`. */
export interface ModelBody {
  /** The slug. */
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly provider: string;
  readonly description: string;
  readonly pricing: PricingBody;
  readonly search_types: readonly string[] | null;
  readonly features: readonly string[];
  /** Answer models only: the keys of `search` that this model honors. */
  readonly options?: readonly string[] | undefined;
  readonly max_results: number | null;
  readonly dimensions: number | null;
  readonly max_input_tokens: number | null;
  readonly context_length: number | null;
}

/** Decimal strings, markup included; `"-1"` for a dynamic price. A rate that does not apply is left out. */
interface PricingBody {
  readonly unit: 'USD';
  /** Of one call. */
  readonly request?: string | undefined;
  readonly per_1m_tokens?: string | undefined;
  readonly per_1m_input_tokens?: string | undefined;
  readonly per_1m_output_tokens?: string | undefined;
  readonly per_search?: string | undefined;
}

/** The body of a 200 of `GET /api/v1/credits`. USD of the whole organization, without what calls in flight hold. */
export interface CreditsBody {
  readonly total_credits: number;
  readonly total_usage: number;
}

/** The body of a 200 of `GET /api/v1/usage`: of the calling key, in the days asked about. */
export interface UsageBody {
  /** In the order of the days or names; what has no model or no tag last. Only what was used. */
  readonly data: readonly UsageRowBody[];
  readonly total: { readonly requests: number; readonly cost: number };
}

/** What was grouped by is the first field. `cost` is USD: what was charged, and what was corrected since. */
export type UsageRowBody = (
  | { readonly day: string }
  | { readonly model: string | null }
  | { readonly tag: string | null }
) & { readonly requests: number; readonly cost: number };

/** The body of a 200 of `GET /api/v1/answers/{id}`. */
export interface AnswerStatusBody {
  readonly id: string;
  /** `held`: under way. `released`: failed, at no cost. `expired`: the gateway ended in the middle of it. */
  readonly status: 'held' | 'charged' | 'released' | 'expired';
  /** The slug that ran; the one asked for where none did. */
  readonly model: string;
  /** `null` where no one served, or where it is not known. */
  readonly provider: string | null;
  /** USD, what was charged. */
  readonly cost: number;
  /** ISO 8601 in UTC. */
  readonly created_at: string;
  /** `null` while it is under way. */
  readonly ended_at: string | null;
}

/** The body of a 200 of `GET /api/v1/key`. Amounts are USD; `null` for no limit. */
export interface KeyBody {
  readonly label: string;
  /** Of all time. */
  readonly usage: number;
  readonly limit: number | null;
  /** In the present window, where the limit resets. */
  readonly limit_remaining: number | null;
  /** How often the limit resets; `null` for never. */
  readonly limit_reset: LimitReset | null;
  /** When it next does, ISO 8601 in UTC such as `2026-12-01T00:00:00Z`; `null` for never. */
  readonly resets_at: string | null;
  /** Answers in a period, and how many more of them fit now; `null` for no limit. */
  readonly rate_limit: {
    readonly requests: number;
    readonly period_seconds: number;
    readonly remaining: number;
  } | null;
  /** Most answers under way at once; `null` for no limit. */
  readonly max_concurrent: number | null;
}
