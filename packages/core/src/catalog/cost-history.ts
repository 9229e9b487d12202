import type { NanoUsd } from '../base/money.js';

/** What a model's latest calls truly cost the operator, before markup: what a dynamic price is quoted from. Bounded, in memory. */
export interface CostHistory {
  /** Remembers a true cost: one the provider reported, or one computed from what it used. A ceiling is a guess and does not belong here. */
  record(cost: NanoUsd): void;
  /**
   * The 99th percentile of the costs remembered; with fewer than a hundred of them, the highest. At most
   * {@link RECORDS_PER_UPDATE} records behind. `undefined` before the first record.
   */
  percentile99(): NanoUsd | undefined;
}

const REMEMBERED_COSTS = 256;

/** The percentile is computed again once per this many records: sorting 256 costs on each call would be waste. */
export const RECORDS_PER_UPDATE = 16;

export function createCostHistory(): CostHistory {
  const costs = new BigInt64Array(REMEMBERED_COSTS);
  let records = 0;
  let recordsAtUpdate = 0;
  let percentile: NanoUsd | undefined;

  return {
    record(cost) {
      costs[records % REMEMBERED_COSTS] = cost;
      records += 1;
      // The first costs count at once: until then the quote is only the catalog's typical figure.
      if (records <= RECORDS_PER_UPDATE && (percentile === undefined || cost > percentile)) percentile = cost;
    },
    percentile99() {
      if (records - recordsAtUpdate >= RECORDS_PER_UPDATE) {
        percentile = nearestRank99(costs.slice(0, Math.min(records, REMEMBERED_COSTS)));
        recordsAtUpdate = records;
      }
      return percentile;
    },
  };
}

/** The smallest cost that at least 99 of 100 costs do not exceed. */
function nearestRank99(costs: BigInt64Array): NanoUsd | undefined {
  return costs.sort()[Math.ceil(costs.length * 0.99) - 1];
}
