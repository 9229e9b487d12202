import { createHash } from 'node:crypto';
import type { CallableModel } from '../catalog/catalog.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerPlan } from './answer.js';

/**
 * Names what a call asks: calls of one name may get one answer. It covers who may answer and in which order, the query in Unicode NFC without
 * outer white space, and the search options. It leaves out what makes no other answer: an alias, `include_citations`, `stream`.
 */
export function answerKey({ request: { query, search }, route }: AnswerPlan): string {
  const slugs = modelsOf(route).map(({ model }) => model.slug);
  const asked = [slugs, arrangementOf(route), query.normalize('NFC').trim(), search ?? null];
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** The models that may answer, hedges last. They depend on what the caller's key may call. */
export function modelsOf({ candidates, hedges = [] }: RoutePlan): readonly CallableModel[] {
  return [...candidates, ...hedges.map(({ second }) => second)];
}

function arrangementOf({ order }: RoutePlan): unknown {
  if (order === undefined) return null;
  const { sort, sorted, maxCost } = order;
  return [sort, sorted, maxCost === null ? null : maxCost.toString()];
}
