import { createHash } from 'node:crypto';
import type { CallableModel } from '../catalog/catalog.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan } from './answer.js';

/**
 * The cache key of a call: calls with equal keys may share an answer. The key covers the models that may answer and their order, the query in Unicode NFC
 * without outer white space, the rest of what is asked, such as the messages before it, the search options, the required policies (a cached answer may be older than
 * the policy of its provider), and the domain rules. It ignores settings that do not change the answer: an alias, `include_citations`, `stream`.
 */
export function answerKey({ request, route }: AnswerPlan): string {
  const { call, search, routing } = request;
  const slugs = modelsOf(route).map(({ model }) => model.slug);
  const asked: unknown[] = [slugs, arrangementOf(route), call.query.normalize('NFC').trim()];
  asked.push(search ?? null, ...call.cacheKeyInput());
  if (routing?.require !== undefined) asked.push({ require: routing.require });
  // What a shared answer costs depends on whose key it was.
  if (routing?.keys !== undefined) asked.push({ keys: routing.keys });
  if (route.isNextOnEmpty) asked.push('next on empty');
  const domains = request.scope?.rules?.name;
  if (domains !== undefined) asked.push({ domains });
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** The models that may answer, hedges last. They depend on the models that the caller's key allows. */
export function modelsOf({ candidates, hedges = [] }: RoutePlan): readonly CallableModel[] {
  return [...candidates, ...hedges.map(({ second }) => second)];
}

function arrangementOf({ order }: RoutePlan): unknown {
  if (order === undefined) return null;
  const { sort, sorted, maxCost } = order;
  return [sort, sorted, maxCost === null ? null : maxCost.toString()];
}
