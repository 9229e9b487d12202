import type { AskedSearch } from '../base/search-options/asked-search.js';
import type { ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import type { Citation } from '../text/citation.js';
import type { TextMarker } from '../text/marker-writer.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';

export type { OutcomeCost };

/**
 * An upstream company: what it sells and how to ask it. Built by a factory (`exa({ apiKey })`), immutable, holding no state
 * between calls. Anything that implements this, in or outside this package, can be given to `createGateway`.
 */
export interface Provider {
  /** First half of every slug it serves; lower-case letters, digits and dashes. */
  readonly id: string;
  /** The company's name as people write it. */
  readonly name: string;
  readonly models: readonly ModelRow[];
  readonly answer: AnswerAdapter;
  /** What the gateway sends at most, so that the provider need not refuse anything. Default: no limit. */
  readonly limits?: ProviderLimits | undefined;
}

/** How much one gateway asks of a provider, whichever model and caller it is for. Retries count like first attempts. */
export interface ProviderLimits {
  /** At most `requests` (1 to 100,000) begin in any span of `periodMs` (1 to 86,400,000). */
  readonly rateLimit?: { readonly requests: number; readonly periodMs: number } | undefined;
  /** Most requests under way at once, 1 to 100,000. */
  readonly maxConcurrent?: number | undefined;
  /** Longest wait of a call that has no other model to ask, 0 to 600,000. Default 1,000. */
  readonly maxQueueMs?: number | undefined;
}

/** Translates one question into one call of the provider, and its reply into an {@link AnswerOutcome}. */
export interface AnswerAdapter {
  /**
   * Makes one attempt: never retries, never bills, never sees a caller's key.
   *
   * @throws UpstreamError for everything that can go wrong at the provider, classified by the provider's own error table. A reply without
   * a usable answer is `upstream_invalid_response`, whatever its status. Anything else thrown counts as a bug in the adapter.
   */
  answer(call: AnswerCall, context: AnswerContext): Promise<AnswerOutcome>;
  /**
   * The same, with the text handed over while it comes. For models with the feature `streaming`; the others are asked by {@link answer}.
   *
   * @returns the outcome that {@link answer} would have had. What was handed over is the beginning of its text.
   */
  stream?(call: AnswerCall, context: AnswerContext, live: LiveAnswer): Promise<AnswerOutcome>;
}

/** Takes an answer while it comes. */
export interface LiveAnswer {
  /** The citations known so far, in the order of the outcome's: the list only grows. */
  citations(citations: readonly Citation[]): void;
  /**
   * The next part of the text, with the same `[n]` markers. Where a provider tells only at the end where markers stand, all parts come
   * without any: then they are the beginning of the outcome's text with its markers taken out.
   *
   * @param markers those of the part. One of a citation that was not handed over yet may turn out to be none. Default: each `[n]` of a
   * citation, unless it is in code or a link, or directly behind a letter, a digit or a closing bracket.
   */
  text(part: string, markers?: readonly TextMarker[]): void;
}

export interface AnswerCall {
  readonly model: ModelRow;
  /** As the caller wrote it. */
  readonly query: string;
  /**
   * What the search is narrowed down to: only options, and values of them, that the model's `options` declare. Each goes into the field of the
   * vendor's API that is meant for it, before what the provider's settings say; never into the text of the query. Left out when nothing is asked.
   */
  readonly search?: AskedSearch | undefined;
}

export interface AnswerContext {
  /** Sends requests to the provider: bounded in time and size, counted, redacted. Adapters that send none ignore it. */
  readonly upstream: UpstreamClient;
  /** Aborts when the attempt's deadline passes. Made on first use, since a signal is costly and most adapters need none. */
  readonly signal: AbortSignal;
}

export interface AnswerOutcome {
  /** The whole text, not empty; markers are `[n]`, 1-based into `citations`. */
  readonly text: string;
  /**
   * The markers of the text, in order. Default: each `[n]` of a citation, unless it is in code or a link, or directly behind a letter, a digit or a
   * closing bracket.
   */
  readonly markers?: readonly TextMarker[] | undefined;
  /** Every source once, in the order the markers count them. */
  readonly citations: readonly Citation[];
  readonly cost: OutcomeCost;
  /** The provider's own id of the call, for support requests. */
  readonly upstreamRequestId?: string | undefined;
  /** What the provider says served, when it says. */
  readonly servedModel?: string | undefined;
}
