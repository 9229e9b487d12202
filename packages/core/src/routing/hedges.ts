import { type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { type ModelTerms, quoteModel } from '../catalog/quote.js';

/** A second model that is also asked if the first model is slow. */
export interface Hedge {
  readonly first: CallableModel;
  readonly second: CallableModel;
  readonly afterMs: number | 'p95';
  /** The highest quote of the second model, before markup. */
  readonly maxExtraCost: NanoUsd;
}

/** The longest time of these candidates and hedges. */
export function longestOf(candidates: readonly CallableModel[], hedges: readonly Hedge[] | undefined): number {
  let longestMs = 0;
  for (const { timeoutMs } of candidates) longestMs += timeoutMs;
  if (hedges === undefined) return longestMs;
  const seconds = new Set(hedges.map(({ second }) => second).filter((second) => !candidates.includes(second)));
  for (const { timeoutMs } of seconds) longestMs += timeoutMs;
  return longestMs;
}

/** The bounds for the second model of a hedge. */
export interface HedgeBounds extends ModelTerms {
  /** The caller's maximum hold for a model; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/** The hedges whose second model is within the bounds of operator and caller. */
export function affordableHedges(hedges: readonly Hedge[], bounds: HedgeBounds): readonly Hedge[] {
  const { maxCost } = bounds;
  return hedges.filter(({ second, maxExtraCost }) => {
    if (quoteModel(second, { ...bounds, markup: NO_MARKUP }).amount > maxExtraCost) return false;
    return maxCost === null || quoteModel(second, bounds).amount <= maxCost;
  });
}
