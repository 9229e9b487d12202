import type { Clock } from '../base/time/clock.js';
import { planRoute, type RoutePlan, type Routes } from '../routing/route-plan.js';
import type { AnswerRequest, RequestContext } from './answer.js';

export interface PlanAnswerDeps {
  readonly routes: Routes;
  readonly clock: Clock;
  /** How long after its last possible moment a call's hold is kept, in case this process dies. */
  readonly holdGraceMs: number;
}

/** A question whose model is known and permitted. Nothing has been spent, claimed or held for it. */
export interface AnswerPlan {
  readonly request: AnswerRequest;
  readonly route: RoutePlan;
  /** When what the call holds (money, and its `Idempotency-Key`) is free again should this process die. */
  readonly expiresAtMs: number;
}

/** @throws RequestError `model_not_found`, `model_category_mismatch`, `model_not_allowed`, `unsupported_option`. */
export function planAnswer(
  { routes, clock, holdGraceMs }: PlanAnswerDeps,
  request: AnswerRequest,
  trace: RequestContext,
): AnswerPlan {
  const { model: name, search, routing, apiKey } = request;
  const route = planRoute(routes, { name, search, routing, allowedModels: apiKey.allowedModels });
  trace.model = route.candidates[0].model.slug;
  return { request, route, expiresAtMs: clock.now() + route.longestMs + holdGraceMs };
}
