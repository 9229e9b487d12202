import type { Reason } from '../base/errors/reasons.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { multiply } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import type { AnswerPlan, RequestContext } from './answer.js';
import type { AnswerStrategy, HeldAnswer, StrategyResult } from './answer-strategy.js';
import { type HoldDeps, holdAmount } from './held-funds.js';
import type { LiveStream } from './live-stream.js';
import { RunningCall } from './running-call.js';

export interface SharedCallsDeps {
  readonly holding: HoldDeps;
  readonly clock: Clock;
  /** What an answer another call has asked for costs, in billionths of its price. */
  readonly sharedPrice: bigint;
}

/** A call that may join a matching call of the same organization, or be joined. */
interface SharedCall {
  /** Names the question: see `answerKey`. */
  readonly key: string;
  readonly plan: AnswerPlan;
  readonly trace: RequestContext;
  /** Runs when no matching call is in flight. */
  ask(plan: AnswerPlan): AnswerStrategy;
}

/** The calls in flight at providers. Each answers every caller of its organization with the same question. */
export interface SharedCalls {
  strategy(call: SharedCall): AnswerStrategy;
}

/** Whether a call leads or has joined shows when it holds, and so does how its answer comes. */
interface SharedHold extends HeldAnswer {
  deliver(live: LiveStream | null): Promise<StrategyResult>;
}

/** How often a call waits for the hold of one it might join. Then it asks by itself, so that its wait is bounded. */
const MAX_TRIES = 3;

export function createSharedCalls(deps: SharedCallsDeps): SharedCalls {
  const running = new Map<string, RunningCall>();

  async function lead(name: string, { plan, ask }: SharedCall, holdId: string): Promise<SharedHold> {
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

  async function hold(call: SharedCall, holdId: string): Promise<SharedHold> {
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
    // Nothing is awaited between the look and this, so that of many callers one is the first.
    return lead(name, call, holdId);
  }

  return {
    strategy: (call): AnswerStrategy<SharedHold> => ({
      hold: (holdId) => hold(call, holdId),
      deliver: (held, live) => held.deliver(live),
    }),
  };
}

/** The budget of one caller may be too small for what another holds, and yet have room for a cheaper candidate. */
async function joinOrAsk(deps: SharedCallsDeps, call: SharedCall & Joinable, holdId: string): Promise<SharedHold> {
  try {
    return await join(deps, call, holdId);
  } catch (error) {
    if (isOfBudget(error)) return alone(call, holdId);
    throw error;
  }
}

function isOfBudget(error: unknown): boolean {
  return isRequestError(error) && BUDGET_REASONS.includes(error.reason);
}

const BUDGET_REASONS: readonly Reason[] = ['organization_credits_exhausted', 'key_limit_reached', 'budget_in_flight'];

/** Asks by itself, without being joined. */
async function alone({ plan, ask }: SharedCall, holdId: string): Promise<SharedHold> {
  const strategy = ask(plan);
  const held = await strategy.hold(holdId);
  return { amount: held.amount, deliver: (live) => strategy.deliver(held, live) };
}

/** A refusal that says something of one caller's budget, rate or slots, and nothing of those of others. */
function isOfItsCaller({ type }: RequestError): boolean {
  return type === 'insufficient_credits' || type === 'rate_limit_error';
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
  /** What the other one holds. */
  readonly amount: bigint;
}

/** The hold of one who waits takes no slot: it asks nothing of a provider. */
async function join(deps: SharedCallsDeps, call: SharedCall & Joinable, holdId: string): Promise<SharedHold> {
  const { plan, trace, other, amount: first } = call;
  const model = plan.route.candidates[0].model.slug;
  const wanted = { amount: multiply(first, deps.sharedPrice), usesSlot: false, model };
  try {
    const amount = await holdAmount(deps.holding, { holdId, plan, trace, wanted });
    trace.joined = true;
    return { amount, deliver: () => wait(deps, call) };
  } catch (error) {
    other.leave(plan.request);
    throw error;
  }
}

/** Nothing of the other one's cost is booked again: neither what its provider is owed nor what its failed attempts may have cost. */
async function wait(
  { clock, sharedPrice }: SharedCallsDeps,
  { other, trace }: SharedCall & Joinable,
): Promise<StrategyResult> {
  const startMs = clock.monotonic();
  const delivery = await other.ended;
  trace.upstreamMs += clock.monotonic() - startMs;
  if (delivery.status === 'failed') return { ...delivery, losses: [] };
  const { model, provider, cost } = delivery.charge;
  const charge = {
    cost: multiply(cost, sharedPrice),
    model,
    provider,
    costSource: 'shared',
    upstreamCost: 0n,
  } as const;
  return { ...delivery, charge };
}
