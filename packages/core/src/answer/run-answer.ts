import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import { askedDomains } from '../base/search-options/asked-domains.js';
import type { Loss } from '../ledger/ledger.js';
import type { AnswerRequest, AnswerResult, RequestContext } from './answer.js';
import { type ChooseStrategyDeps, chooseStrategy } from './choose-strategy.js';
import { LiveStream } from './live-stream.js';
import type { AnswerPlan } from './plan-answer.js';
import { presentOutcome } from './present-outcome.js';
import type { Settler } from './settler.js';

/** The pipeline as its callers see it: between its two halves they may do what has to come before any money is held. */
export interface Answers {
  /** @throws RequestError */
  plan(request: AnswerRequest, trace: RequestContext): AnswerPlan;
  /** @throws RequestError */
  run(plan: AnswerPlan, trace: RequestContext): Promise<AnswerResult>;
}

export interface RunAnswerDeps extends ChooseStrategyDeps {
  readonly settler: Settler;
  readonly logger: Logger;
  /** Makes the id of an answer, of its hold and of its ledger entry. */
  newAnswerId(): string;
}

/**
 * THE pipeline from the plan on: find where the answer comes from, hold, get it, settle, present. Whatever happens after the hold, the hold is
 * ended exactly once.
 *
 * @throws RequestError for every error a caller may see.
 */
export async function runAnswer(deps: RunAnswerDeps, plan: AnswerPlan, trace: RequestContext): Promise<AnswerResult> {
  const { settler } = deps;
  const { request } = plan;
  const found = chooseStrategy(deps, plan, trace);
  const source = found instanceof Promise ? await found : found;
  if (request.isDisconnected()) throw new RequestError('client_closed_request');

  const holdId = deps.newAnswerId();
  const held = await source.hold(holdId);
  settler.begin();
  const live = openStream(deps, { request, holdId, trace });
  let losses: readonly Loss[] = [];
  try {
    const delivery = await source.deliver(held, live);
    if (delivery.status === 'failed') {
      losses = delivery.losses;
      throw delivery.error;
    }

    const { outcome, charge } = delivery;
    trace.model = charge.model;
    trace.provider = charge.provider;
    await settler.end(holdId, { operation: 'settle', charge, payer: request.apiKey }, trace.requestId);
    trace.cost = charge.cost;
    const presented = presentOutcome(outcome, request.includeCitations);
    live?.finish(presented, { model: charge.model, provider: charge.provider });
    const { model, provider, cost } = charge;
    return { id: holdId, model, provider, answer: presented.answer, citations: presented.citations, cost };
  } catch (error) {
    // After a settle this changes nothing: a hold ends once.
    const reason = isRequestError(error) ? error.reason : 'internal_error';
    if (trace.cost === null)
      await settler.end(holdId, { operation: 'release', release: { reason, losses } }, trace.requestId);
    throw error;
  }
}

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
