import type { AnswerCitation } from '../calls/answer-reply.js';
import type { Category } from '../catalog/model-entry.js';
import type { LimitReset } from '../time/limit-window.js';

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
