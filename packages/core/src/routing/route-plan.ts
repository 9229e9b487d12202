import type { RunnableModel } from '../catalog/catalog.js';
import type { Category } from '../catalog/model-entry.js';
import { RequestError } from '../errors/request-error.js';
import { unsupportedOptions } from '../search-options/option-support.js';
import type { SearchOptions } from '../search-options/search-options.js';

/** What routing needs to know of the catalog. */
export interface RoutableModels {
  find(slug: string): RunnableModel | undefined;
  /** All that `find` can find, in order of their slugs. */
  runnable(): Iterable<RunnableModel>;
  categoryOf(slug: string): Category | undefined;
  suggest(name: string): readonly string[];
}

/** The operator's configured routes. Checked at construction: every target exists and no alias points to an alias. */
export interface Routes {
  readonly models: RoutableModels;
  /** Other names for slugs. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Slugs to try, in order, after a slug has failed. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
}

export interface RouteInput {
  /** Slug or alias, as the caller sent it. */
  readonly name: string;
  /** The key's allow-list of slugs; it applies to fallbacks too. */
  readonly allowedModels: readonly string[] | null;
  /** Every candidate honors all of it; left out when nothing is asked. */
  readonly search?: SearchOptions | undefined;
}

/** The models that may serve a request, in the order they are tried. The first is the one asked for. */
export interface RoutePlan {
  readonly candidates: readonly [RunnableModel, ...RunnableModel[]];
  /** The longest the call may take: each candidate's deadline once; retries share it. */
  readonly longestMs: number;
}

/**
 * Resolves a name to the models that may serve it. Pure: same input, same plan.
 *
 * @throws RequestError `model_not_found` (with up to three suggestions), `model_category_mismatch`, `model_not_allowed`,
 * `unsupported_option` (with up to five models that honor what was asked).
 */
export function planRoute(routes: Routes, { name, allowedModels, search }: RouteInput): RoutePlan {
  const slug = routes.aliases.get(name) ?? name;
  const requested = routes.models.find(slug);
  if (requested === undefined) throw notRunnable(routes.models, slug);
  if (allowedModels !== null && !allowedModels.includes(slug))
    throw new RequestError('model_not_allowed', { param: 'model' });
  if (search !== undefined) requireHonored(routes.models, requested, { search, allowedModels });
  const fallbacks = (routes.fallbacks.get(slug) ?? [])
    .filter((fallback) => allowedModels?.includes(fallback) ?? true)
    .map((fallback) => routes.models.find(fallback))
    .filter((model) => model !== undefined)
    .filter((model) => isHonored(search, model));
  return { candidates: [requested, ...fallbacks], longestMs: fallbacks.reduce(addDeadline, requested.timeoutMs) };
}

const MAX_ALTERNATIVES = 5;

function requireHonored(
  models: RoutableModels,
  requested: RunnableModel,
  { search, allowedModels }: { search: SearchOptions; allowedModels: RouteInput['allowedModels'] },
): void {
  const options = unsupportedOptions(search, requested.model.options);
  const [first] = options;
  if (first === undefined) return;
  const alternatives: string[] = [];
  for (const candidate of models.runnable()) {
    const { slug } = candidate.model;
    if (!(allowedModels?.includes(slug) ?? true) || !isHonored(search, candidate)) continue;
    alternatives.push(slug);
    if (alternatives.length === MAX_ALTERNATIVES) break;
  }
  throw new RequestError('unsupported_option', {
    param: `search.${first}`,
    details: { options, models: alternatives },
  });
}

function isHonored(search: SearchOptions | undefined, { model }: RunnableModel): boolean {
  return search === undefined || unsupportedOptions(search, model.options).length === 0;
}

function addDeadline(sumMs: number, { timeoutMs }: RunnableModel): number {
  return sumMs + timeoutMs;
}

function notRunnable(models: RoutableModels, slug: string): RequestError {
  const category = models.categoryOf(slug);
  if (category !== undefined && category !== 'answer') {
    return new RequestError('model_category_mismatch', { param: 'model', details: { category } });
  }
  return new RequestError('model_not_found', {
    param: 'model',
    details: { suggestions: models.suggest(slug).slice(0, 3) },
  });
}
