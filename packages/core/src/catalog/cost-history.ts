import { LRUCache } from 'lru-cache';
import type { NanoUsd } from '../base/money.js';

export type CostHistory = ReturnType<typeof createCostHistory>;
/** The histories of a model. No organization is quoted by the calls of another. */
export type CostHistories = ReturnType<ReturnType<typeof createCostHistories>>;

/** Of 2 kB each. The history that was not used for longest is dropped first: then the list price is quoted again. */
const MAX_HISTORIES = 4_096;

/** @returns makes the histories of a model; all models share the memory. */
export function createCostHistories() {
  // `maxSize` instead of `max`: `max` allocates all memory now.
  const histories = new LRUCache<string, CostHistory>({ maxSize: MAX_HISTORIES, sizeCalculation: () => 1 });
  return (slug: string) => {
    /** `undefined` for an organization without remembered costs. */
    const find = (organizationId: string): CostHistory | undefined => histories.get(`${slug} ${organizationId}`);
    return {
      find,
      /** The history to record in. */
      open(organizationId: string): CostHistory {
        const history = find(organizationId) ?? createCostHistory();
        histories.set(`${slug} ${organizationId}`, history);
        return history;
      },
    };
  };
}

const REMEMBERED_COSTS = 256;

/** The percentile is updated once per this number of records, because sorting 256 costs with each call would be wasteful. */
export const RECORDS_PER_UPDATE = 16;

/**
 * The true costs of an organization's latest calls of a model, before markup, from which later calls are quoted. For calls of units, proportions of the list
 * price in billionths instead of costs. Bounded, in memory.
 */
export function createCostHistory() {
  const costs = new BigInt64Array(REMEMBERED_COSTS);
  let records = 0;
  let recordsAtUpdate = 0;
  let percentile: NanoUsd | undefined;

  return {
    /** Records a true cost: reported by the provider, or computed from usage. A ceiling is an estimate and is not recorded. */
    record(cost: NanoUsd): void {
      costs[records % REMEMBERED_COSTS] = cost;
      records += 1;
      // The first costs count at once, because without a cost the quote is only the typical figure of the catalog.
      if (records <= RECORDS_PER_UPDATE && (percentile === undefined || cost > percentile)) percentile = cost;
    },
    /**
     * The 99th percentile of the remembered costs; with fewer than a hundred costs, the highest. At most {@link RECORDS_PER_UPDATE} records behind.
     * `undefined` before the first record.
     */
    percentile99(): NanoUsd | undefined {
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
