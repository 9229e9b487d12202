import { RequestError } from '../base/errors/request-error.js';
import type { NanoUsd } from '../base/money.js';
import { type CallableModel, modelAt } from '../catalog/catalog.js';
import { type ModelTerms, quoteModel } from '../catalog/quote.js';
import { longestOf } from './hedges.js';
import type { Latencies } from './latencies.js';
import type { RoutePlan } from './route-plan.js';
import type { RouteSort } from './routing-preferences.js';

/** With the terms of the hold, so that the compared amounts are the held amounts. */
export interface SortInput extends ModelTerms {
  readonly latencies: Pick<Latencies, 'sort'>;
  /** Whether a candidate's provider is serving the caller, and not paused. */
  isUsable(candidate: CallableModel): boolean;
}

/** A candidate and the amount that would be held. */
interface Quoted {
  readonly candidate: CallableModel;
  readonly required: NanoUsd;
}

/**
 * Sorts the candidates by the route's order, and drops candidates above its `maxCost`. Returns a route without an order unchanged.
 *
 * @throws RequestError `max_cost_exceeded`.
 */
export function sortCandidates(route: RoutePlan, input: SortInput): RoutePlan {
  if (route.order === undefined) return route;
  const { sort, sorted, maxCost } = route.order;
  const quoted = route.candidates.map(
    (candidate): Quoted => ({ candidate, required: quoteModel(candidate, input).amount }),
  );
  const head = affordable(quoted.slice(0, sorted), maxCost);
  const tail = affordable(quoted.slice(sorted), maxCost);
  const [first, ...others] = [...sortBy(sort, head, input), ...tail].map(({ candidate }) => candidate);
  if (first === undefined) throw tooExpensive(quoted, maxCost ?? 0n);
  const candidates = [first, ...others] as const;
  // Only candidates that are left need a hedge.
  const hedges = route.hedges?.filter((hedge) => candidates.includes(hedge.first));
  return { ...route, candidates, longestMs: longestOf(candidates, hedges), hedges };
}

function affordable(quoted: readonly Quoted[], maxCost: NanoUsd | null): readonly Quoted[] {
  return maxCost === null ? quoted : quoted.filter(({ required }) => required <= maxCost);
}

function sortBy(sort: RouteSort | null, quoted: readonly Quoted[], input: SortInput): readonly Quoted[] {
  const nameOf = ({ candidate }: Quoted) => modelAt(candidate);
  const isUsable = ({ candidate }: Quoted) => input.isUsable(candidate);
  if (sort === 'latency') return input.latencies.sort(quoted, { nameOf, isUsable });
  if (sort === 'price') return [...quoted].sort((a, b) => Number(a.required - b.required));
  return quoted;
}

function tooExpensive(quoted: readonly Quoted[], maxCost: NanoUsd): RequestError {
  const { candidate, required } = quoted.reduce((least, each) => (each.required < least.required ? each : least));
  const details = { maxCost, cheapest: { model: candidate.model.slug, required } };
  return new RequestError('max_cost_exceeded', { param: 'routing.maxCost', details });
}
