import { type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { priceAt, type QuoteTerms, quote } from '../catalog/pricing.js';

/** A second model that is also asked if the first model is slow. */
export interface Hedge {
  readonly first: CallableModel;
  readonly second: CallableModel;
  readonly afterMs: number | 'p95';
  /** The highest quote of the second model, before markup. */
  readonly maxExtraCost: NanoUsd;
}

/** The bounds for the second model of a hedge. */
export interface HedgeBounds extends QuoteTerms {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The caller's maximum hold for a model; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/** The hedges whose second model is within the bounds of operator and caller. */
export function affordableHedges(hedges: readonly Hedge[], bounds: HedgeBounds): readonly Hedge[] {
  const { nowMs, maxCost } = bounds;
  return hedges.filter(({ second, maxExtraCost }) => {
    const price = priceAt(second.prices, nowMs);
    if (quote(price, second.history, { ...bounds, markup: NO_MARKUP }) > maxExtraCost) return false;
    return maxCost === null || quote(price, second.history, bounds) <= maxCost;
  });
}
