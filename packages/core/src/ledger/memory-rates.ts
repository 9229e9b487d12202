import type { RateState } from '../base/time/rate-limit.js';

/** Rates in use, by whose they are. Those that have drained are forgotten. */
export interface MemoryRates {
  read(id: string, nowMs: number): RateState | undefined;
  set(id: string, rate: DrainingRate, nowMs: number): void;
  /** How many are kept. */
  readonly size: number;
}

interface DrainingRate extends RateState {
  /** From when on nothing is used of it. */
  readonly drainsAtMs: number;
}

/** How many of the longest known are looked at when one is counted: more than one, so that drained ones go faster than new ones come. */
const LOOKED_AT = 2;

/**
 * A map whose oldest entries are looked at whenever one is set: what has drained goes, what has not goes to the end. So a key that is seen once takes
 * memory only until its rate has drained and as many others were counted, and no call pays for more than a few.
 */
export function createMemoryRates(): MemoryRates {
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
    read(id, nowMs) {
      const rate = rates.get(id);
      return rate !== undefined && rate.drainsAtMs > nowMs ? rate : undefined;
    },
    set(id, rate, nowMs) {
      rates.set(id, rate);
      sweep(nowMs);
    },
    get size() {
      return rates.size;
    },
  };
}
