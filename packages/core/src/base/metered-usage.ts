import type { NanoUsd } from './money.js';

/** The usage of an attempt, to compute its cost if the provider reports no cost. */
export interface MeteredUsage {
  /** All input tokens, those at the cached rate included. */
  readonly inputTokens?: number | undefined;
  /** The part of `inputTokens` billed at the cached rate. */
  readonly cachedInputTokens?: number | undefined;
  /** Also those of thoughts, where the provider bills them. */
  readonly outputTokens?: number | undefined;
  /** Searches that a model made to answer, where they have a price. */
  readonly searches?: number | undefined;
  /** Results that are billed, of a search. */
  readonly results?: number | undefined;
  /** Pages whose text is billed, of a search or an extract. */
  readonly pages?: number | undefined;
  /** Search units that are billed: a query with up to 100 documents to sort is one. */
  readonly searchUnits?: number | undefined;
  /** Fees of tools with a separate price, in nanodollars. */
  readonly otherFees?: NanoUsd | undefined;
}
