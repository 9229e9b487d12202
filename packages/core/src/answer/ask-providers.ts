import type { CallableModel } from '../catalog/catalog.js';
import { affordableHedges } from '../routing/hedges.js';
import type { Latencies } from '../routing/latencies.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { type SortInput, sortCandidates } from '../routing/sort-candidates.js';
import type { RequestContext } from './answer.js';
import type { AnswerStrategy } from './answer-strategy.js';
import { type AttemptCandidatesDeps, attemptCandidates, requireAvailable } from './attempt-candidates.js';
import { type HeldFunds, holdFunds } from './held-funds.js';
import type { HoldDeps } from './hold-amount.js';
import type { AnswerPlan } from './plan-answer.js';
import { type PriceOutcomeDeps, priceOutcome } from './price-outcome.js';

export interface AskProvidersDeps extends PriceOutcomeDeps {
  readonly holding: HoldDeps;
  readonly attempting: AttemptCandidatesDeps;
  readonly latencies: Pick<Latencies, 'sort'>;
  /** The multiplier an organization pays, in billionths. */
  markupOf(organizationId: string): bigint;
}

/**
 * The answer of a provider: candidates in the order of this moment, those the hold covers tried one after another.
 *
 * @throws RequestError `max_cost_exceeded`, `upstream_unavailable`.
 */
export function askProviders(
  deps: AskProvidersDeps,
  plan: AnswerPlan,
  trace: RequestContext,
): AnswerStrategy<HeldFunds> {
  const { request } = plan;
  const { organizationId } = request.apiKey;
  const nowMs = deps.clock.now();
  const markup = deps.markupOf(organizationId);
  const route = routeNow(deps, plan, { nowMs, markup });
  trace.model = route.candidates[0].model.slug;
  requireAvailable(deps.attempting.health, { plan: route, request });
  return {
    hold: (holdId) => holdFunds(deps.holding, { holdId, plan, route, nowMs, markup, trace }),
    async deliver(hold, live) {
      const attempts = await attemptCandidates(deps.attempting, { hold, request, trace, live });
      if (attempts.status === 'failed') return attempts;
      return priceOutcome(deps, attempts, { hold, organizationId, markup, trace });
    },
  };
}

/** The candidates as prices, latencies and pauses of this moment have them. */
function routeNow(
  { latencies, attempting: { health } }: AskProvidersDeps,
  { route, request }: AnswerPlan,
  moment: Pick<SortInput, 'nowMs' | 'markup'>,
): RoutePlan {
  if (route.order === undefined && route.hedges === undefined) return route;
  const { organizationId } = request.apiKey;
  const isUsable = ({ provider }: CallableModel) => health.pausedForMs(provider, organizationId) === 0;
  const maxCost = route.order?.maxCost ?? null;
  const arranged = sortCandidates(route, { ...moment, latencies, isUsable });
  // Of a candidate that was left out no second model is asked, and so none is held for.
  const besides = route.hedges?.filter(({ first }) => arranged.candidates.includes(first));
  return { ...arranged, hedges: besides && affordableHedges(besides, { ...moment, maxCost }) };
}
