import { type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { priceAt, quote } from '../catalog/pricing.js';

/** A second model that is asked too when the first one is slow. */
export interface Hedge {
  readonly first: CallableModel;
  readonly second: CallableModel;
  readonly afterMs: number | 'p95';
  /** The most that the second one may be quoted, before markup. */
  readonly maxExtraCost: NanoUsd;
}

/** What the second model of a hedge has to stay within at one moment. */
export interface HedgeBounds {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** What the caller lets be held for one model; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/** The hedges whose second model costs neither the operator nor the caller more than was said. */
export function affordableHedges(hedges: readonly Hedge[], { nowMs, markup, maxCost }: HedgeBounds): readonly Hedge[] {
  return hedges.filter(({ second, maxExtraCost }) => {
    const price = priceAt(second.prices, nowMs);
    if (quote(price, second.history, NO_MARKUP) > maxExtraCost) return false;
    return maxCost === null || quote(price, second.history, markup) <= maxCost;
  });
}
