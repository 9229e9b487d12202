import { type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { priceAt, quote, type Units } from '../catalog/pricing.js';

/** A second model that is also asked if the first model is slow. */
export interface Hedge {
  readonly first: CallableModel;
  readonly second: CallableModel;
  readonly afterMs: number | 'p95';
  /** The highest quote of the second model, before markup. */
  readonly maxExtraCost: NanoUsd;
}

/** The bounds for the second model of a hedge. */
export interface HedgeBounds {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** In billionths, see `parseMultiplier`. */
  readonly markup: bigint;
  /** What is asked for; `undefined` for answers. */
  readonly units: Units | undefined;
  /** The caller's maximum hold for a model; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/** The hedges whose second model is within the bounds of operator and caller. */
export function affordableHedges(hedges: readonly Hedge[], bounds: HedgeBounds): readonly Hedge[] {
  const { nowMs, markup, units, maxCost } = bounds;
  return hedges.filter(({ second, maxExtraCost }) => {
    const price = priceAt(second.prices, nowMs);
    if (quote(price, second.history, { markup: NO_MARKUP, units }) > maxExtraCost) return false;
    return maxCost === null || quote(price, second.history, { markup, units }) <= maxCost;
  });
}
