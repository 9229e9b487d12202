import { planRoute, type Routes } from './route-plan.js';
import { MAX_ASKED_FALLBACKS } from './routing-preferences.js';

/** The longest time of a call at providers, in milliseconds: with the operator's routes, and with any fallbacks that a caller may ask for instead. */
export function longestRouteMs(routes: Routes): number {
  const models = [...routes.models.runnable()].sort((a, b) => b.timeoutMs - a.timeoutMs);
  const names = [...models.map(({ model }) => model.slug), ...routes.groups.keys()];
  const longestMs = names.map((name) => {
    const own = planRoute(routes, { name, allowedModels: null, routing: { fallbacks: [] } });
    const asked = models.filter((model) => !own.candidates.includes(model)).slice(0, MAX_ASKED_FALLBACKS);
    const askedMs = asked.reduce((sumMs, { timeoutMs }) => sumMs + timeoutMs, own.longestMs);
    return Math.max(askedMs, planRoute(routes, { name, allowedModels: null }).longestMs);
  });
  return Math.max(0, ...longestMs);
}
