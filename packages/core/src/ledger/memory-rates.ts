import type { RateState } from '../base/time/rate-limit.js';

interface DrainingRate extends RateState {
  /** When the rate is drained, in milliseconds since the Unix epoch. */
  readonly drainsAtMs: number;
}

/** How many of the oldest entries each `set` examines: more than one, so that drained rates leave faster than new rates come. */
const LOOKED_AT = 2;

/**
 * Rates in use, by the id of their owner, in a map that examines its oldest entries with each `set`: drained rates are removed, the others move to the end. So the rate of a key that is used once takes
 * memory only until it has drained and a bounded number of other rates were set, and no call examines more than {@link LOOKED_AT} entries.
 */
export function createMemoryRates() {
  const rates = new Map<string, DrainingRate>();

  function sweep(nowMs: number): void {
    let looked = 0;
    for (const [id, rate] of rates) {
      if (looked === LOOKED_AT) return;
      looked += 1;
      rates.delete(id);
      if (rate.drainsAtMs > nowMs) rates.set(id, rate);
    }
  }

  return {
    read(id: string, nowMs: number): RateState | undefined {
      const rate = rates.get(id);
      return rate !== undefined && rate.drainsAtMs > nowMs ? rate : undefined;
    },
    set(id: string, rate: DrainingRate, nowMs: number): void {
      rates.set(id, rate);
      sweep(nowMs);
    },
    /** The number of stored rates. */
    get size() {
      return rates.size;
    },
  };
}
