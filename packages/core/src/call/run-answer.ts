import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { IdSource } from '../base/ids.js';
import { andThen, type MaybePromise } from '../base/options/open-state.js';
import type { Clock } from '../base/time/clock.js';
import type { CallStream } from '../kinds/kind-call.js';
import type { Charge, Loss } from '../ledger/ledger.js';
import { planRoute, type Routes } from '../routing/route-plan.js';
import type { AnswerPlan, AnswerRequest, PresentedAnswer, RequestContext } from './answer.js';
import { createAnswerCache } from './answer-cache.js';
import type { Delivered, StrategyResult } from './answer-strategy.js';
import type { CacheConfig } from './cache-options.js';
import { type ChooseStrategyDeps, chooseStrategy } from './choose-strategy.js';
import type { Settler } from './settler.js';
import { createSharedCalls, type SharedCallsDeps } from './shared-calls.js';
import { withinRules } from './within-rules.js';

export interface PlanAnswerDeps {
  readonly routes: Routes;
  readonly clock: Clock;
  /** How long after the call's last possible moment its hold expires, in case this process dies. */
  readonly holdGraceMs: number;
  /** A hold begins after the wait for vendor keys of the organization. */
  readonly byok?: { readonly timeoutMs: number } | undefined;
}

/** @throws RequestError `model_not_found`, `model_category_mismatch`, `model_not_allowed`, `unsupported_option`, `domains_exclude_all`. */
export function planAnswer(
  { routes, clock, holdGraceMs, byok }: PlanAnswerDeps,
  request: AnswerRequest,
  context: RequestContext,
): AnswerPlan {
  const within = withinRules(request);
  const { model: name, call, search, routing } = within;
  const { allowedModels } = request.apiKey;
  const route = planRoute(routes, { name, call, search, sent: request.search ?? {}, routing, allowedModels });
  context.model = route.candidates[0].model.slug;
  context.tag = request.tag ?? null;
  const longestMs = route.longestMs + (byok?.timeoutMs ?? 0);
  return { request: within, route, expiresAtMs: clock.now() + longestMs + holdGraceMs };
}

/** The pipeline in two steps. Between them, callers do the work that must come before money is held, such as idempotency. */
export interface Answers {
  /** @throws RequestError */
  plan(request: AnswerRequest, context: RequestContext): AnswerPlan;
  /** @throws RequestError */
  run(plan: AnswerPlan, context: RequestContext): Promise<PresentedAnswer>;
}

export interface RunAnswerDeps extends ChooseStrategyDeps {
  readonly settler: Settler;
  readonly logger: Logger;
  /** Makes the id of an answer, of its hold and of its ledger entry. @param prefix of the kind of call. */
  newAnswerId(prefix: string): string;
}

/** A call whose money is held. */
interface HeldCall {
  readonly holdId: string;
  readonly plan: AnswerPlan;
  readonly context: RequestContext;
  readonly live: CallStream | null;
  /** The operator's, if the hold is released. */
  losses: readonly Loss[];
}

/**
 * The pipeline after the plan: choose a strategy, hold, deliver, settle, present. Whatever happens after the hold, the hold is
 * ended exactly once.
 *
 * @throws RequestError for every error a caller may see.
 */
export async function runAnswer(
  deps: RunAnswerDeps,
  plan: AnswerPlan,
  context: RequestContext,
): Promise<PresentedAnswer> {
  const found = chooseStrategy(deps, plan, context);
  const strategy = found instanceof Promise ? await found : found;
  if (plan.request.isDisconnected()) throw new RequestError('client_closed_request');

  const { asyncWriter } = plan.request;
  const holdId = asyncWriter?.id ?? deps.newAnswerId(plan.request.call.kind.idPrefix);
  const holding = strategy.hold(holdId);
  const held = holding instanceof Promise ? await holding : holding;
  deps.settler.begin();
  const call = openHeldCall(deps, { holdId, plan, context });
  try {
    if (asyncWriter !== undefined) await asyncWriter.begun();
    const presented = complete(deps, call, await strategy.deliver(held, call.live));
    return presented instanceof Promise ? await presented : presented;
  } catch (error) {
    // A known cost means that the hold was settled.
    if (context.cost === null) await release(deps, call, error);
    throw error;
  }
}

function openHeldCall({ logger }: RunAnswerDeps, held: Pick<HeldCall, 'holdId' | 'plan' | 'context'>): HeldCall {
  const { holdId, plan, context } = held;
  const { call, scope } = plan.request;
  context.answerId = holdId;
  const onMismatch = (served: string) => {
    logger.error(
      { model: served, requestId: context.requestId },
      'the streamed text is not the beginning of the answer',
    );
  };
  return { holdId, plan, context, live: call.openStream({ id: holdId, scope, onMismatch }), losses: NO_LOSSES };
}

const NO_LOSSES: readonly Loss[] = [];

/** Charges what was delivered, and presents it. @throws RequestError of a call that failed. */
function complete(deps: RunAnswerDeps, held: HeldCall, delivery: StrategyResult): MaybePromise<PresentedAnswer> {
  const { holdId, plan, context } = held;
  const { call, scope, asyncWriter } = plan.request;
  if (delivery.status === 'failed') {
    held.losses = delivery.losses;
    context.loss = sumOf(held.losses);
    throw delivery.error;
  }
  const { value, charge } = delivery;
  const { model, provider, cost } = charge;
  const byok = charge.tenantCost === undefined ? undefined : (true as const);
  noteCharge(context, charge);
  if (asyncWriter === undefined) return settle(deps, held, { value, charge, byok });
  held.losses = unpaid(charge);
  const kept = { id: holdId, model, provider, cost, byok, body: call.present(value, scope) };
  return asyncWriter.keep(kept, charge).then(() => settle(deps, held, { value, charge, byok }));
}

function noteCharge(context: RequestContext, { model, provider, tenantCost, upstreamCost, losses }: Charge): void {
  context.tenantCost = tenantCost;
  context.byok = tenantCost !== undefined;
  context.model = model;
  context.provider = provider;
  context.upstreamCost = upstreamCost ?? null;
  context.loss = losses === undefined ? 0n : sumOf(losses);
}

type ToSettle = Pick<Delivered, 'value' | 'charge'> & Pick<PresentedAnswer, 'byok'>;

function settle(deps: RunAnswerDeps, held: HeldCall, { value, charge, byok }: ToSettle): MaybePromise<PresentedAnswer> {
  const { holdId, plan, context, live } = held;
  const { call, scope, apiKey: payer } = plan.request;
  const { model, provider, cost } = charge;
  return andThen(deps.settler.end(holdId, { operation: 'settle', charge, payer }, context.requestId), () => {
    context.cost = cost;
    const body = live === null ? call.present(value, scope) : live.finish(value, { model, provider });
    return { id: holdId, model, provider, cost, byok, body };
  });
}

async function release(
  deps: RunAnswerDeps,
  { holdId, plan, context, losses }: HeldCall,
  error: unknown,
): Promise<void> {
  const failure = isRequestError(error) ? error : new RequestError('internal_error', { cause: error });
  await plan.request.asyncWriter?.fail(failure);
  context.loss = sumOf(losses);
  context.upstreamCost = null;
  context.tenantCost = undefined;
  const ending = { operation: 'release', release: { reason: failure.reason, losses } } as const;
  await deps.settler.end(holdId, ending, context.requestId);
}

/** The operator's losses if an answer is not charged after all. */
function unpaid({ model, provider, cost, upstreamCost = cost, losses = [] }: Charge): readonly Loss[] {
  return upstreamCost === 0n ? losses : [...losses, { model, provider, cost: upstreamCost, reason: 'answer_not_kept' }];
}

function sumOf(losses: readonly Loss[]): bigint {
  let sum = 0n;
  for (const { cost } of losses) sum += cost;
  return sum;
}

interface AnsweringConfig extends Pick<RunAnswerDeps, 'overrun'> {
  readonly cache?: CacheConfig | undefined;
  /** `null` when calls are not shared. */
  readonly coalescing: Pick<SharedCallsDeps, 'sharedPrice'> | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: IdSource;
}

/** The parts of a gateway that the pipeline uses. */
type AnsweringParts = Omit<RunAnswerDeps, keyof AnsweringConfig | 'sharing' | 'newAnswerId'>;

/** Builds the dependencies of the pipeline: the given parts, the cache, and the shared calls. */
export function buildAnswering(config: AnsweringConfig, parts: AnsweringParts): RunAnswerDeps {
  const { cache, coalescing, clock, logger, newId, overrun } = config;
  const { holding, markupOf } = parts;
  return {
    ...parts,
    clock,
    logger,
    newAnswerId: (prefix) => `${prefix}_${newId(clock.now())}`,
    overrun,
    cache: cache === undefined ? null : createAnswerCache({ config: cache, clock, logger, markupOf }),
    sharing: coalescing === null ? null : createSharedCalls({ ...coalescing, holding, clock }),
  };
}
