import type { Reason } from '../base/errors/reasons.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { multiply } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import type { AnswerPlan, RequestContext } from './answer.js';
import type { AnswerStrategy, OwnHold, StrategyResult } from './answer-strategy.js';
import { type HoldDeps, holdAmount } from './held-funds.js';
import { RunningCall } from './running-call.js';

export interface SharedCallsDeps {
  readonly holding: HoldDeps;
  readonly clock: Clock;
  /** The price of a shared answer, in billionths of the first caller's charge. */
  readonly sharedPrice: bigint;
}

/** A call that may join a matching call of the same organization, or be joined. */
interface SharedCall {
  /** Names the question: see `answerKey`. */
  readonly key: string;
  readonly plan: AnswerPlan;
  readonly context: RequestContext;
  /** Runs when no matching call is in flight. */
  ask(plan: AnswerPlan): AnswerStrategy;
}

/** The calls in flight at providers. Each answers every caller of its organization with the same question. */
export type SharedCalls = ReturnType<typeof createSharedCalls>;

/** How often a call waits for the hold of a call it might join. After that it asks providers itself, so that its wait is bounded. */
const MAX_TRIES = 3;

export function createSharedCalls(deps: SharedCallsDeps) {
  const running = new Map<string, RunningCall>();

  async function lead(name: string, { plan, ask }: SharedCall, holdId: string): Promise<OwnHold> {
    const own = new RunningCall(plan.request);
    running.set(name, own);
    const close = () => {
      if (running.get(name) === own) running.delete(name);
    };
    try {
      const request = { ...plan.request, isDisconnected: () => own.isAbandoned() };
      const strategy = ask({ ...plan, request });
      const held = await strategy.hold(holdId);
      own.begin(held.amount);
      return { amount: held.amount, deliver: (live) => deliverToAll(own, strategy.deliver(held, live)).finally(close) };
    } catch (error) {
      close();
      own.fail(error);
      throw error;
    }
  }

  async function hold(call: SharedCall, holdId: string): Promise<OwnHold> {
    const { request } = call.plan;
    const name = `${request.apiKey.organizationId} ${call.key}`;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const other = running.get(name);
      if (other?.isOpen !== true) break;
      other.join(request);
      const beginning = await other.begun;
      if (request.isDisconnected()) {
        other.leave(request);
        throw new RequestError('client_closed_request');
      }
      if (beginning.status === 'held') return joinOrAsk(deps, { ...call, other, amount: beginning.amount }, holdId);
      if (!isOfItsCaller(beginning.error)) throw beginning.error;
    }
    // No `await` between the lookup and this line: of many callers, exactly one leads.
    return lead(name, call, holdId);
  }

  return {
    strategy: (call: SharedCall): AnswerStrategy<OwnHold> => ({
      hold: (holdId) => hold(call, holdId),
      deliver: (held, live) => held.deliver(live),
    }),
  };
}

/** A caller's budget may be too small for the amount that the other call holds, yet cover a cheaper candidate. */
async function joinOrAsk(deps: SharedCallsDeps, call: SharedCall & Joinable, holdId: string): Promise<OwnHold> {
  try {
    return await join(deps, call, holdId);
  } catch (error) {
    if (isRequestError(error) && BUDGET_REASONS.includes(error.reason)) return alone(call, holdId);
    throw error;
  }
}

const BUDGET_REASONS: readonly Reason[] = [
  'organization_credits_exhausted',
  'key_limit_reached',
  'budget_exceeded',
  'budget_in_flight',
];

/** Asks providers for this call alone: no other call can join it. */
async function alone({ plan, ask }: SharedCall, holdId: string): Promise<OwnHold> {
  const strategy = ask(plan);
  const held = await strategy.hold(holdId);
  return { amount: held.amount, deliver: (live) => strategy.deliver(held, live) };
}

/** Whether a refusal concerns one caller's budgets, rate or slots, and not those of other callers. */
function isOfItsCaller({ type, reason }: RequestError): boolean {
  return type === 'insufficient_credits' || type === 'rate_limit_error' || reason === 'too_many_budgets';
}

async function deliverToAll(own: RunningCall, delivering: Promise<StrategyResult>): Promise<StrategyResult> {
  try {
    const delivery = await delivering;
    own.end(delivery);
    return delivery;
  } catch (error) {
    own.fail(error);
    throw error;
  }
}

/** The call to join. */
interface Joinable {
  readonly other: RunningCall;
  /** The amount that the other call holds. */
  readonly amount: bigint;
}

/** The hold of a joined call takes no slot, because the call asks no provider. */
async function join(deps: SharedCallsDeps, call: SharedCall & Joinable, holdId: string): Promise<OwnHold> {
  const { plan, context, other, amount: first } = call;
  const model = plan.route.candidates[0].model.slug;
  const wanted = { amount: multiply(first, deps.sharedPrice), usesSlot: false, model };
  try {
    const amount = await holdAmount(deps.holding, { holdId, plan, context, wanted });
    context.joined = true;
    return { amount, deliver: () => wait(deps, call) };
  } catch (error) {
    other.leave(plan.request);
    throw error;
  }
}

/** Does not book the other call's costs again: neither its upstream cost nor its losses. */
async function wait(
  { clock, sharedPrice }: SharedCallsDeps,
  { other, context }: SharedCall & Joinable,
): Promise<StrategyResult> {
  const startMs = clock.monotonic();
  const delivery = await other.ended;
  context.upstreamMs += clock.monotonic() - startMs;
  if (delivery.status === 'failed') return { ...delivery, losses: [] };
  const { model, provider, cost, tenantCost } = delivery.charge;
  const charge = {
    cost: multiply(cost, sharedPrice),
    model,
    provider,
    costSource: 'shared',
    upstreamCost: 0n,
    tenantCost: tenantCost && 0n,
  } as const;
  return { ...delivery, charge };
}
