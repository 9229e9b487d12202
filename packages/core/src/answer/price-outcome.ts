import type { EventStream } from '../base/events/events.js';
import type { Clock } from '../base/time/clock.js';
import type { CallableModel } from '../catalog/catalog.js';
import { type ChargedCost, charge, isMismatch } from '../catalog/pricing.js';
import type { Loss } from '../ledger/ledger.js';
import type { AnswerOutcome } from '../provider-kit/provider.js';
import type { RequestContext } from './answer.js';
import type { Delivered } from './answer-strategy.js';
import type { HeldFunds } from './held-funds.js';

export interface PriceOutcomeDeps {
  readonly clock: Clock;
  readonly events: EventStream;
  /** What happens when a call costs more than was held: `absorb` charges what was held, and the rest is the operator's loss. */
  readonly overrun: 'charge' | 'absorb';
}

interface Served {
  readonly outcome: AnswerOutcome;
  readonly served: CallableModel;
  readonly losses: readonly Loss[];
}

interface PricedCall {
  readonly hold: HeldFunds;
  readonly organizationId: string;
  readonly markup: bigint;
  readonly trace: RequestContext;
}

/** Finds the true cost of a delivered answer, and what of it the caller is charged. */
export function priceOutcome(
  deps: PriceOutcomeDeps,
  { outcome, served, losses }: Served,
  { hold, organizationId, markup, trace }: PricedCall,
): Delivered {
  const { model, provider } = served;
  const mostCharged = deps.overrun === 'absorb' ? hold.amount : null;
  const cost = charge(hold.priceOf(served), outcome.cost, { markup, mostCharged });
  remember(served, cost);
  reportCost(deps, { served, cost, organizationId, trace });
  const { charged, beforeMarkup, upstreamCost, costSource, uncovered, isImplausible } = cost;
  const reason = isImplausible ? 'cost_implausible' : 'cost_absorbed';
  return {
    status: 'answered',
    outcome,
    beforeMarkup,
    charge: {
      cost: charged,
      model: model.slug,
      provider,
      costSource,
      // What is not covered is in the losses.
      upstreamCost: upstreamCost - uncovered,
      losses: uncovered > 0n ? [...losses, { model: model.slug, provider, cost: uncovered, reason }] : losses,
    },
  };
}

/** True costs are what later calls are quoted by. A ceiling is charged for want of a true cost, so it is none. */
function remember({ history }: CallableModel, { upstreamCost, costSource, isImplausible }: ChargedCost): void {
  if (!isImplausible && costSource !== 'ceiling') history.record(upstreamCost);
}

/** Tells the operator when a cost had to be guessed or looks wrong. */
function reportCost(
  { clock, events }: PriceOutcomeDeps,
  {
    served,
    cost,
    organizationId,
    trace,
  }: Pick<PricedCall, 'organizationId' | 'trace'> & { readonly served: CallableModel; readonly cost: ChargedCost },
): void {
  const { charged, upstreamCost, costSource, computed, isImplausible } = cost;
  const about = () => ({ atMs: clock.now(), requestId: trace.requestId, organizationId, model: served.model.slug });
  if (isImplausible) events.emit({ type: 'cost_implausible', ...about(), reported: upstreamCost, charged });
  else if (costSource === 'ceiling') events.emit({ type: 'cost_unknown', ...about(), charged });
  else if (costSource === 'reported' && computed !== null && isMismatch(upstreamCost, computed)) {
    events.emit({ type: 'cost_mismatch', ...about(), reported: upstreamCost, computed });
  }
}
