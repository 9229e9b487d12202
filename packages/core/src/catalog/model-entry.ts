import type { MeteredUsage } from '../base/metered-usage.js';
import type { NanoUsd } from '../base/money.js';
import type { OptionSupport } from '../base/search-options/option-support.js';
import type { SearchOption } from '../base/search-options/search-options.js';

export type { MeteredUsage };

/** The five kinds of models. Only `answer` models can be called today; the others are listed. */
export const CATEGORIES = ['search', 'embedding', 'rerank', 'extract', 'answer'] as const;
export type Category = (typeof CATEGORIES)[number];

/** How sure we are of a researched fact. */
type Confidence = 'high' | 'medium' | 'low';

/** Where a fact from outside comes from, and when it was read. Kept beside the data, never on the wire. */
export interface Provenance {
  readonly source: string;
  /** ISO date the source was read. */
  readonly asOf: string;
  readonly confidence: Confidence;
  /** What a maintainer should know before relying on the fact. */
  readonly notes?: string | undefined;
}

/** One call, one price. */
export interface FlatPrice extends Provenance {
  readonly kind: 'flat';
  /** USD per call, a decimal string. */
  readonly request: string;
  /** ISO date (UTC) from which this row holds; absent for "since always". */
  readonly validFrom?: string | undefined;
}

/** The cost is known only afterwards: reported by the provider, or computed from what it used. Decimal strings, USD. */
export interface DynamicPrice extends Provenance {
  readonly kind: 'dynamic';
  readonly perMillionInputTokens?: string | undefined;
  /** Defaults to the price of other input tokens. */
  readonly perMillionCachedInputTokens?: string | undefined;
  readonly perMillionOutputTokens?: string | undefined;
  readonly perSearch?: string | undefined;
  /** What a call usually costs: the least a call is quoted at. */
  readonly typical: string;
  /** More than a call is expected to cost: the most it is quoted at, and its charge when no figure can be had. */
  readonly ceiling: string;
  readonly validFrom?: string | undefined;
}

export type PriceRow = FlatPrice | DynamicPrice;

/** An answer model as its provider declares it. */
export interface AnswerModel {
  /** `<provider>/<model>`. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** In order of `validFrom`; the last row that has begun holds. At least one row holds since always. */
  readonly prices: readonly PriceRow[];
  /** What callers of this gateway can use. Known flags that no caller can use yet are left out, even if a provider declares them. */
  readonly features: readonly string[];
  /** What the vendor's API offers besides. For documentation alone: callers are never shown it. */
  readonly vendorFeatures?: readonly string[] | undefined;
  /** The search options it honors, each by a field of the vendor's API that does just that. Default: none. */
  readonly options?: OptionSupport | undefined;
  readonly contextLength: number | null;
  /** One attempt's deadline, from connect to the last byte. */
  readonly timeoutMs: number;
}

/** The `pricing` of an entry as it is listed: decimal strings, markup included, `"-1"` for dynamic. */
export interface ListedPricing {
  readonly unit: 'USD';
  readonly request?: string | undefined;
  readonly perMillionTokens?: string | undefined;
  readonly perMillionInputTokens?: string | undefined;
  readonly perMillionOutputTokens?: string | undefined;
  readonly perSearch?: string | undefined;
}

/** One line of `GET /models`. A field that does not apply is `null`. */
export interface ModelEntry {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly provider: string;
  readonly description: string;
  readonly pricing: ListedPricing;
  readonly searchTypes: readonly string[] | null;
  readonly features: readonly string[];
  /** Answer models only: the search options that callers may send. */
  readonly options?: readonly SearchOption[] | undefined;
  readonly maxResults: number | null;
  readonly dimensions: number | null;
  readonly maxInputTokens: number | null;
  readonly contextLength: number | null;
}

/** What a provider says about the cost of a call. */
export interface OutcomeCost {
  /** What it reports that the call cost, if it does. Before markup. */
  readonly reported?: NanoUsd | undefined;
  /** What it reports that the call used, if it does. */
  readonly usage?: MeteredUsage | undefined;
}
