import { describe, expect, it } from 'vitest';
import type { CallableModel } from '../catalog/catalog.js';
import { createCostHistories } from '../catalog/cost-history.js';
import type { CandidateOrder, RoutePlan } from './route-plan.js';
import { sortCandidates } from './sort-candidates.js';

const MARKUP = 2_000_000_000n;

function candidate(slug: string, request: bigint): CallableModel {
  const prices = [{ kind: 'flat', validFromMs: Number.NEGATIVE_INFINITY, request, fixed: false }];
  return {
    model: { slug },
    provider: 'exa',
    prices,
    histories: createCostHistories()(slug),
    timeoutMs: 10,
  } as unknown as CallableModel;
}

/** Arranges models of these prices, which are doubled. Latency sorts them backwards. */
function arrange(prices: Record<string, bigint>, order: Partial<CandidateOrder>, candidates = candidatesOf(prices)) {
  const route: RoutePlan = {
    candidates,
    longestMs: 10 * candidates.length,
    order: { sort: null, sorted: candidates.length, maxCost: null, ...order },
  };
  const latencies = { sort: <Item>(items: readonly Item[]) => [...items].reverse() };
  const arranged = sortCandidates(route, {
    nowMs: 0,
    markup: MARKUP,
    organizationId: 'acme',
    latencies,
    isUsable: () => true,
  });
  return { slugs: arranged.candidates.map(({ model }) => model.slug), longestMs: arranged.longestMs };
}

function candidatesOf(prices: Record<string, bigint>): RoutePlan['candidates'] {
  return Object.entries(prices).map(([slug, price]) => candidate(slug, price)) as [CallableModel, ...CallableModel[]];
}

const PRICES = { a: 5n, b: 3n, c: 5n, d: 1n };

describe('a route', () => {
  it('without an order stays unchanged', () => {
    const route: RoutePlan = { candidates: candidatesOf(PRICES), longestMs: 40 };
    const latencies = { sort: () => [] };
    expect(
      sortCandidates(route, { nowMs: 0, markup: MARKUP, organizationId: 'acme', latencies, isUsable: () => true }),
    ).toBe(route);
  });

  it('is sorted by the amount to hold; equal amounts keep their order', () => {
    expect(arrange(PRICES, { sort: 'price' }).slugs).toEqual(['d', 'b', 'a', 'c']);
    const dearerThanListed = candidatesOf(PRICES);
    dearerThanListed[3]?.histories.open('acme').record(9n);
    expect(arrange(PRICES, { sort: 'price' }, dearerThanListed).slugs).toEqual(['b', 'a', 'c', 'd']);
  });

  it('is sorted by latency', () => {
    expect(arrange(PRICES, { sort: 'latency' }).slugs).toEqual(['d', 'c', 'b', 'a']);
  });

  it('is sorted only up to the number in its order', () => {
    expect(arrange(PRICES, { sort: 'price', sorted: 2 }).slugs).toEqual(['b', 'a', 'c', 'd']);
    expect(arrange(PRICES, { sort: 'price', sorted: 2, maxCost: 9n }).slugs).toEqual(['b', 'd']);
  });

  it('keeps candidates up to the maximum cost, with markup, and the time of the remaining candidates', () => {
    expect(arrange(PRICES, { maxCost: 6n })).toEqual({ slugs: ['b', 'd'], longestMs: 20 });
    expect(arrange(PRICES, { maxCost: 5n }).slugs).toEqual(['d']);
  });

  it('without affordable candidates is refused, naming the cheapest', () => {
    expect(() => arrange(PRICES, { maxCost: 1n })).toThrow(
      expect.objectContaining({
        reason: 'max_cost_exceeded',
        param: 'routing.maxCost',
        details: { maxCost: 1n, cheapest: { model: 'd', required: 2n } },
      }),
    );
  });
});
