import type { NanoUsd } from '../base/money.js';

/**
 * The true costs of a model's latest calls, before markup, from which dynamic prices are quoted. For searches and extracts, proportions of the list price
 * in billionths instead of costs. Bounded, in memory.
 */
export interface CostHistory {
  /** Records a true cost: reported by the provider, or computed from usage. A ceiling is an estimate and is not recorded. */
  record(cost: NanoUsd): void;
  /**
   * The 99th percentile of the remembered costs; with fewer than a hundred costs, the highest. At most {@link RECORDS_PER_UPDATE} records behind.
   * `undefined` before the first record.
   */
  percentile99(): NanoUsd | undefined;
}

const REMEMBERED_COSTS = 256;

/** The percentile is updated once per this number of records, because sorting 256 costs with each call would be wasteful. */
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
      // The first costs count at once, because without a cost the quote is only the typical figure of the catalog.
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

/** The smallest cost that at least 99 percent of the costs do not exceed. */
function nearestRank99(costs: BigInt64Array): NanoUsd | undefined {
  return costs.sort()[Math.ceil(costs.length * 0.99) - 1];
}
