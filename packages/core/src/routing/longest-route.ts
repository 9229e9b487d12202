import type { Category } from '../catalog/model-entry.js';
import { type ModelGroup, plainCall, planRoute, type Routes } from './route-plan.js';
import { MAX_ASKED_FALLBACKS } from './routing-preferences.js';

/** The longest time of a call at providers, in milliseconds: with the operator's routes, and with any fallbacks that a caller may ask for instead. */
export function longestRouteMs(routes: Routes): number {
  const models = [...routes.models.runnable()].sort((a, b) => b.timeoutMs - a.timeoutMs);
  const ofGroups = [...routes.groups].map(([name, group]) => ({ name, category: categoryOf(routes, group) }));
  const names = [...models.map(({ model, category }) => ({ name: model.slug, category })), ...ofGroups];
  const longestMs = names.map(({ name, category }) => {
    const input = { name, allowedModels: null, call: plainCall({ category, hasFallbacks: true }) };
    const own = planRoute(routes, { ...input, routing: { fallbacks: [] } });
    const others = models.filter((model) => model.category === category && !own.candidates.includes(model));
    const asked = others.slice(0, MAX_ASKED_FALLBACKS);
    const askedMs = asked.reduce((sumMs, { timeoutMs }) => sumMs + timeoutMs, own.longestMs);
    return Math.max(askedMs, planRoute(routes, input).longestMs);
  });
  return Math.max(0, ...longestMs);
}

function categoryOf({ models }: Routes, { models: [first = ''] }: ModelGroup): Category {
  return models.categoryOf(first) ?? 'answer';
}
