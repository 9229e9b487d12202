import type { NanoUsd } from './money.js';

/** What an attempt used, for computing its cost when the provider does not report one. */
export interface MeteredUsage {
  readonly inputTokens?: number | undefined;
  /** Part of `inputTokens` that was billed at the cached rate. */
  readonly cachedInputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly searches?: number | undefined;
  /** Fees of tools that have a price of their own, already in nanodollars. */
  readonly otherFees?: NanoUsd | undefined;
}
