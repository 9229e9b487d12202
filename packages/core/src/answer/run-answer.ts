import type { RunnableModel } from '../catalog/catalog.js';
import { type ChargedCost, charge, isMismatch } from '../catalog/pricing.js';
import { isRequestError, RequestError } from '../errors/request-error.js';
import type { EventStream } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import type { Charge, Loss } from '../ledger/ledger.js';
import type { AnswerOutcome } from '../provider-kit/provider.js';
import { type ArrangeInput, arrangeRoute } from '../routing/arrange-route.js';
import type { Latencies } from '../routing/latencies.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { Clock } from '../time/clock.js';
import type { AnswerRequest, AnswerResult, RequestTrace } from './answer.js';
import { type AttemptCandidatesDeps, attemptCandidates, requireAvailable } from './attempt-candidates.js';
import { type HeldFunds, type HoldDeps, holdFunds } from './held-funds.js';
import { LiveStream } from './live-stream.js';
import type { AnswerPlan } from './plan-answer.js';
import { presentOutcome } from './present-outcome.js';
import type { Settler } from './settler.js';

/** The pipeline as its callers see it: between its two halves they may do what has to come before any money is held. */
export interface Answers {
  /** @throws RequestError */
  plan(request: AnswerRequest, trace: RequestTrace): AnswerPlan;
  /** @throws RequestError */
  run(plan: AnswerPlan, trace: RequestTrace): Promise<AnswerResult>;
}

export interface RunAnswerDeps {
  readonly holding: HoldDeps;
  readonly attempting: AttemptCandidatesDeps;
  readonly settler: Settler;
  readonly latencies: Pick<Latencies, 'sort'>;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
  /** Makes the id of an answer, of its hold and of its ledger entry. */
  newAnswerId(): string;
  /** The multiplier an organization pays, in billionths. */
  markupOf(organizationId: string): bigint;
  readonly implausibleCostFactor: number;
  /** What happens when a call costs more than was held: `absorb` charges what was held, and the rest is the operator's loss. */
  readonly overrun: 'charge' | 'absorb';
}

/**
 * THE pipeline from the plan on: arrange, hold, attempt, charge, settle, present. Whatever happens after the hold, the hold is ended exactly once.
 *
 * @throws RequestError for every error a caller may see.
 */
export async function runAnswer(deps: RunAnswerDeps, plan: AnswerPlan, trace: RequestTrace): Promise<AnswerResult> {
  const { settler, attempting } = deps;
  const { request } = plan;
  const nowMs = deps.clock.now();
  const markup = deps.markupOf(request.apiKey.organizationId);
  const route = arranged(deps, plan, { nowMs, markup });
  trace.model = route.candidates[0].model.slug;
  requireAvailable(attempting.health, { plan: route, request });
  if (request.isDisconnected()) throw new RequestError('client_closed_request');

  const holdId = deps.newAnswerId();
  const hold = await holdFunds(deps.holding, { holdId, plan, route, nowMs, markup });
  const live = openStream(deps, { request, holdId, trace });
  let losses: readonly Loss[] = [];
  try {
    const attempts = await attemptCandidates(attempting, { hold, request, trace, live });
    losses = attempts.losses;
    if (attempts.status === 'failed') throw attempts.error;

    const { outcome, served } = attempts;
    trace.model = served.model.slug;
    trace.provider = served.provider;
    const charged = priceOutcome(deps, { outcome, served, hold, markup, trace, losses });
    await settler.end(holdId, { operation: 'settle', charge: charged }, trace.requestId);
    trace.cost = charged.cost;
    const presented = presentOutcome(outcome, request.includeCitations);
    live?.finish(presented, { model: charged.model, provider: charged.provider });
    return { id: holdId, model: charged.model, provider: charged.provider, ...presented, cost: charged.cost };
  } catch (error) {
    // After a settle this changes nothing: a hold ends once.
    const reason = isRequestError(error) ? error.reason : 'internal_error';
    if (trace.cost === null)
      await settler.end(holdId, { operation: 'release', release: { reason, losses } }, trace.requestId);
    throw error;
  }
}

/** The candidates as prices, latencies and pauses of this moment have them. */
function arranged(
  { latencies, attempting: { health } }: RunAnswerDeps,
  { route, request }: AnswerPlan,
  moment: Pick<ArrangeInput, 'nowMs' | 'markup'>,
): RoutePlan {
  if (route.arrangement === undefined) return route;
  const { organizationId } = request.apiKey;
  const isUsable = ({ provider }: RunnableModel) => health.pausedForMs(provider, organizationId) === 0;
  return arrangeRoute(route, { ...moment, latencies, isUsable });
}

interface Opening {
  readonly request: AnswerRequest;
  readonly holdId: string;
  readonly trace: RequestTrace;
}

function openStream({ logger }: RunAnswerDeps, { request, holdId, trace }: Opening): LiveStream | null {
  const { listener, includeCitations } = request;
  if (listener === null) return null;
  const onMismatch = (model: string) => {
    logger.error({ model, requestId: trace.requestId }, 'the streamed text is not the beginning of the answer');
  };
  return new LiveStream(listener, { id: holdId, includeCitations, onMismatch });
}

interface Served {
  readonly outcome: AnswerOutcome;
  readonly served: RunnableModel;
  readonly hold: HeldFunds;
  readonly markup: bigint;
  readonly trace: RequestTrace;
  readonly losses: readonly Loss[];
}

/** Finds the true cost of a delivered answer, and what of it the caller is charged. */
function priceOutcome(deps: RunAnswerDeps, { outcome, served, hold, markup, trace, losses }: Served): Charge {
  const { model, provider } = served;
  const { implausibleCostFactor, overrun } = deps;
  const mostCharged = overrun === 'absorb' ? hold.amount : null;
  const cost = charge(hold.priceOf(served), outcome.cost, { markup, implausibleCostFactor, mostCharged });
  remember(served, cost);
  reportCost(deps, { served, cost, trace });
  const { charged, costSource, uncovered, isImplausible } = cost;
  const reason = isImplausible ? 'cost_implausible' : 'cost_absorbed';
  const uncoveredLoss = uncovered > 0n ? [{ model: model.slug, provider, cost: uncovered, reason }] : [];
  return { cost: charged, model: model.slug, provider, costSource, losses: [...losses, ...uncoveredLoss] };
}

/** True costs are what later calls are quoted by. A ceiling is charged for want of a true cost, so it is none. */
function remember({ history }: RunnableModel, { upstreamCost, costSource, isImplausible }: ChargedCost): void {
  if (!isImplausible && costSource !== 'ceiling') history.record(upstreamCost);
}

/** Tells the operator when a cost had to be guessed or looks wrong. */
function reportCost(
  { clock, events }: RunAnswerDeps,
  { served, cost, trace }: { served: RunnableModel; cost: ChargedCost; trace: RequestTrace },
): void {
  const { charged, upstreamCost, costSource, computed, isImplausible } = cost;
  const about = { atMs: clock.now(), requestId: trace.requestId, model: served.model.slug };
  if (isImplausible) events.emit({ type: 'cost_implausible', ...about, reported: upstreamCost, charged });
  else if (costSource === 'ceiling') events.emit({ type: 'cost_unknown', ...about, charged });
  else if (costSource === 'reported' && computed !== null && isMismatch(upstreamCost, computed)) {
    events.emit({ type: 'cost_mismatch', ...about, reported: upstreamCost, computed });
  }
}
