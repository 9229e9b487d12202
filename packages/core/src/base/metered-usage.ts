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

/** @returns `null` for what is no number of tokens: an adapter of another package may hand over anything. */
export function tokenCount(count: number | undefined): number | null {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
