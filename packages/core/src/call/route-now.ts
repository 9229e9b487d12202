import type { CallableModel } from '../catalog/catalog.js';
import { affordableHedges } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { type SortInput, sortCandidates } from '../routing/sort-candidates.js';
import type { AnswerPlan, AnswerRequest } from './answer.js';
import type { AttemptCandidatesDeps } from './attempt-candidates.js';

export interface RouteNowDeps {
  readonly attempting: Pick<AttemptCandidatesDeps, 'permits'>;
  readonly latencies: Pick<Latencies, 'sort'>;
}

/** Sorts the candidates by current prices, latencies and pauses, and drops hedges that cost more than allowed. */
export function routeNow(
  { latencies, attempting: { permits } }: RouteNowDeps,
  { route, request }: Pick<AnswerPlan, 'route'> & { readonly request: Pick<AnswerRequest, 'apiKey'> },
  terms: Omit<SortInput, 'latencies' | 'isUsable'>,
): RoutePlan {
  if (route.order === undefined && route.hedges === undefined) return route;
  const { organizationId } = request.apiKey;
  const isUsable = (candidate: CallableModel) => permits.isUsable(candidate, organizationId);
  const maxCost = route.order?.maxCost ?? null;
  const sorted = sortCandidates(route, { ...terms, latencies, isUsable });
  return { ...sorted, hedges: sorted.hedges && affordableHedges(sorted.hedges, { ...terms, maxCost }) };
}

/** Puts each shared candidate behind its like. Those that cost more than the caller accepts are not held, and so not asked. */
export function withShared(route: RoutePlan, shared: readonly CallableModel[]): RoutePlan {
  if (shared.length === 0) return route;
  const [first] = route.candidates;
  const all = route.candidates.flatMap((own) => [own, ...shared.filter(({ model }) => model === own.model)]);
  return { ...route, candidates: [first, ...all.slice(1)] };
}
