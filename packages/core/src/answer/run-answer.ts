import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { IdSource } from '../base/ids.js';
import { askedDomains } from '../base/search-options/asked-domains.js';
import type { Clock } from '../base/time/clock.js';
import { LiveStream } from '../kinds/answer/live-stream.js';
import { presentOutcome } from '../kinds/answer/present-outcome.js';
import { kindOf } from '../kinds/kind.js';
import type { Charge, Loss } from '../ledger/ledger.js';
import { planRoute, type Routes } from '../routing/route-plan.js';
import type { AnswerPlan, AnswerRequest, AnswerResult, KindResult, RequestContext } from './answer.js';
import { createAnswerCache } from './answer-cache.js';
import type { CacheConfig } from './cache-options.js';
import { type ChooseStrategyDeps, chooseStrategy } from './choose-strategy.js';
import type { Settler } from './settler.js';
import { createSharedCalls, type SharedCallsDeps } from './shared-calls.js';

export interface PlanAnswerDeps {
  readonly routes: Routes;
  readonly clock: Clock;
  /** How long after the call's last possible moment its hold expires, in case this process dies. */
  readonly holdGraceMs: number;
}

/** @throws RequestError `model_not_found`, `model_category_mismatch`, `model_not_allowed`, `unsupported_option`. */
export function planAnswer(
  { routes, clock, holdGraceMs }: PlanAnswerDeps,
  request: AnswerRequest,
  trace: RequestContext,
): AnswerPlan {
  const { model: name, earlier: messages, responseFormat, search, routing, capability } = request;
  const { allowedModels } = request.apiKey;
  const route = planRoute(routes, { name, messages, responseFormat, search, routing, capability, allowedModels });
  trace.model = route.candidates[0].model.slug;
  trace.tag = request.tag ?? null;
  return { request, route, expiresAtMs: clock.now() + route.longestMs + holdGraceMs };
}

/** The pipeline in two steps. Between them, callers do the work that must come before money is held, such as idempotency. */
export interface Answers {
  /** @throws RequestError */
  plan(request: AnswerRequest, trace: RequestContext): AnswerPlan;
  /** @throws RequestError */
  run(plan: AnswerPlan, trace: RequestContext): Promise<AnswerResult | KindResult>;
}

export interface RunAnswerDeps extends ChooseStrategyDeps {
  readonly settler: Settler;
  readonly logger: Logger;
  /** Makes the id of an answer, of its hold and of its ledger entry. @param prefix of the kind of call. */
  newAnswerId(prefix: string): string;
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
  trace: RequestContext,
): Promise<AnswerResult | KindResult> {
  const { settler } = deps;
  const { request } = plan;
  const found = chooseStrategy(deps, plan, trace);
  const strategy = found instanceof Promise ? await found : found;
  if (request.isDisconnected()) throw new RequestError('client_closed_request');

  const { kept } = request;
  const holdId = kept?.id ?? deps.newAnswerId(request.capability?.idPrefix ?? ANSWER_PREFIX);
  const held = await strategy.hold(holdId);
  settler.begin();
  trace.answerId = holdId;
  const live = openStream(deps, { request, holdId, trace });
  let losses: readonly Loss[] = [];
  try {
    await kept?.begun();
    const delivery = await strategy.deliver(held, live);
    if (delivery.status === 'failed') {
      losses = delivery.losses;
      trace.loss = sumOf(losses);
      throw delivery.error;
    }

    const { outcome, charge } = delivery;
    trace.model = charge.model;
    trace.provider = charge.provider;
    trace.upstreamCost = charge.upstreamCost ?? null;
    trace.loss = sumOf(charge.losses ?? []);
    if (kept !== undefined && !('value' in outcome)) {
      losses = unpaid(charge);
      const { answer, citations } = presentOutcome(outcome, request.includeCitations);
      await kept.keep({ ...charge, id: holdId, answer, citations }, charge);
    }
    await settler.end(holdId, { operation: 'settle', charge, payer: request.apiKey }, trace.requestId);
    trace.cost = charge.cost;
    const { model, provider, cost } = charge;
    if ('value' in outcome) return { id: holdId, model, provider, cost, body: kindOf(request).present(outcome.value) };
    const presented = presentOutcome(outcome, request.includeCitations);
    live?.finish(presented, { model, provider });
    return { id: holdId, model, provider, answer: presented.answer, citations: presented.citations, cost };
  } catch (error) {
    // A known cost means that the hold was settled.
    if (trace.cost !== null) throw error;
    const failure = isRequestError(error) ? error : new RequestError('internal_error', { cause: error });
    await kept?.fail(failure);
    trace.loss = sumOf(losses);
    trace.upstreamCost = null;
    const release = { reason: failure.reason, losses };
    await settler.end(holdId, { operation: 'release', release }, trace.requestId);
    throw error;
  }
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

const ANSWER_PREFIX = 'ans';

interface Opening {
  readonly request: AnswerRequest;
  readonly holdId: string;
  readonly trace: RequestContext;
}

function openStream({ logger }: RunAnswerDeps, { request, holdId, trace }: Opening): LiveStream | null {
  const { listener, includeCitations, search } = request;
  if (listener === null) return null;
  const onMismatch = (model: string) => {
    logger.error({ model, requestId: trace.requestId }, 'the streamed text is not the beginning of the answer');
  };
  return new LiveStream(listener, { id: holdId, includeCitations, mayCite: askedDomains(search), onMismatch });
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
type AnsweringParts = Pick<RunAnswerDeps, 'holding' | 'attempting' | 'settler' | 'latencies' | 'events' | 'markupOf'>;

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
