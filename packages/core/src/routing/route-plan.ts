import { RequestError } from '../base/errors/request-error.js';
import { type NanoUsd, parseUsd } from '../base/money.js';
import { unsupportedOptions } from '../base/search-options/option-support.js';
import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { Category } from '../catalog/model-entry.js';
import type { Hedge } from './hedges.js';
import type { RouteSort, RoutingPreferences } from './routing-preferences.js';

/** Whether a model honors all that is asked of the search. */
function isHonored(search: SearchOptions | undefined, { model }: CallableModel): boolean {
  return search === undefined || unsupportedOptions(search, model.options).length === 0;
}

const MAX_ALTERNATIVES = 5;

interface AskedSearchOptions {
  readonly search: SearchOptions | undefined;
  /** The key's allow-list of slugs. */
  readonly allowedModels: readonly string[] | null;
}

/** The error for a search that none of the models asked for honors. @param models all there are, for the alternatives it names. */
function unsupported(
  models: Iterable<CallableModel>,
  asked: readonly CallableModel[],
  { search = {}, allowedModels }: AskedSearchOptions,
): RequestError {
  const options = optionsAtFault(search, asked);
  const alternatives: string[] = [];
  for (const candidate of models) {
    const { slug } = candidate.model;
    if (!(allowedModels?.includes(slug) ?? true) || !isHonored(search, candidate)) continue;
    alternatives.push(slug);
    if (alternatives.length === MAX_ALTERNATIVES) break;
  }
  return new RequestError('unsupported_option', {
    param: `search.${options[0]}`,
    details: { options, models: alternatives },
  });
}

/** What none of the models honors; where each option is honored by one of them, what any of them does not. */
function optionsAtFault(search: SearchOptions, asked: readonly CallableModel[]): SearchOption[] {
  const perModel = asked.map(({ model }) => unsupportedOptions(search, model.options));
  const ofAll = SEARCH_OPTIONS.filter((option) => perModel.every((options) => options.includes(option)));
  return ofAll.length > 0 ? ofAll : SEARCH_OPTIONS.filter((option) => perModel.some((each) => each.includes(option)));
}

/** What routing needs to know of the catalog. */
export interface RoutableModels {
  find(slug: string): CallableModel | undefined;
  /** All that `find` can find, in order of their slugs. */
  runnable(): Iterable<CallableModel>;
  categoryOf(slug: string): Category | undefined;
  suggest(name: string): readonly string[];
}

/** Several models under one name. */
export interface ModelGroup {
  /** Slugs, at least one, none twice. */
  readonly models: readonly string[];
  readonly sort: 'listed' | RouteSort;
}

/** The operator's configured routes. Checked at construction: every target exists, and every name means one thing. */
export interface Routes {
  readonly models: RoutableModels;
  /** Other names for slugs. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Slugs to try, in order, after a slug has failed. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  readonly groups: ReadonlyMap<string, ModelGroup>;
  /** By the slug of the first model. */
  readonly hedges: ReadonlyMap<string, Hedge>;
}

export interface RouteInput {
  /** Slug, alias or group, as the caller sent it. */
  readonly name: string;
  /** The key's allow-list of slugs; it applies to fallbacks and groups too. */
  readonly allowedModels: readonly string[] | null;
  /** Every candidate honors all of it; left out when nothing is asked. */
  readonly search?: SearchOptions | undefined;
  /** Left out when the operator's routes hold. */
  readonly routing?: RoutingPreferences | undefined;
}

/** The models that may serve a request, in the order they are tried. */
export interface RoutePlan {
  readonly candidates: readonly [CallableModel, ...CallableModel[]];
  /** The longest the call may take: the deadline of each candidate, and of each model asked beside one, once; retries share it. */
  readonly longestMs: number;
  /** What prices and latencies decide when the call begins; left out where the candidates are tried as they stand. */
  readonly order?: CandidateOrder | undefined;
  /** Who may be asked beside a candidate that is slow; left out where none may. */
  readonly hedges?: readonly Hedge[] | undefined;
}

export interface CandidateOrder {
  readonly sort: RouteSort | null;
  /** How many of the first candidates are sorted; those behind stay there. */
  readonly sorted: number;
  /** The most that may be held for a candidate; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/**
 * Resolves a name to the models that may serve it. Pure: same input, same plan.
 *
 * @throws RequestError `model_not_found` (with up to three suggestions), `model_category_mismatch`, `model_not_allowed`,
 * `unsupported_option` (with up to five models that honor what was asked).
 */
export function planRoute(routes: Routes, input: RouteInput): RoutePlan {
  const { name, allowedModels, search, routing } = input;
  const group = routes.groups.get(name);
  const named = group === undefined ? [requireModel(routes, input, 'model')] : membersOf(routes, group, input);
  const next = routing?.fallbacks === undefined ? configuredFallbacks(routes, input) : askedFallbacks(routes, input);
  const candidates = search === undefined ? named : named.filter((model) => isHonored(search, model));
  const own = candidates.length;
  if (own === 0) throw unsupported(routes.models.runnable(), named, { search, allowedModels });
  addOthers(candidates, next, search);
  const order = arrangementOf(routing, group, { own, all: candidates.length });
  const hedges = permittedHedges(routes, candidates, input);
  const longestMs = longestOf(candidates, hedges);
  return { candidates: candidates as [CallableModel, ...CallableModel[]], longestMs, order, hedges };
}

function addOthers(candidates: CallableModel[], next: readonly CallableModel[], search: RouteInput['search']): void {
  for (const candidate of next) {
    const { slug } = candidate.model;
    if (isHonored(search, candidate) && candidates.every(({ model }) => model.slug !== slug))
      candidates.push(candidate);
  }
}

function longestOf(candidates: readonly CallableModel[], hedges: readonly Hedge[] | undefined): number {
  let longestMs = 0;
  for (const { timeoutMs } of candidates) longestMs += timeoutMs;
  if (hedges === undefined) return longestMs;
  const seconds = new Set(hedges.map(({ second }) => second).filter((second) => !candidates.includes(second)));
  for (const { timeoutMs } of seconds) longestMs += timeoutMs;
  return longestMs;
}

/** A caller who has named the models to ask gets no others. */
function permittedHedges(
  { hedges }: Routes,
  candidates: readonly CallableModel[],
  { allowedModels, search, routing }: RouteInput,
): readonly Hedge[] | undefined {
  if (hedges.size === 0) return undefined;
  const permitted = candidates
    .flatMap(({ model }) => hedges.get(model.slug) ?? [])
    .filter(
      ({ second }) =>
        (allowedModels?.includes(second.model.slug) ?? true) &&
        isHonored(search, second) &&
        (routing?.fallbacks === undefined || candidates.includes(second)),
    );
  return permitted.length === 0 ? undefined : permitted;
}

/** The caller's order holds for all candidates, that of a group for its own models. */
function arrangementOf(
  routing: RoutingPreferences | undefined,
  group: ModelGroup | undefined,
  count: { readonly own: number; readonly all: number },
): CandidateOrder | undefined {
  if (routing === undefined && group === undefined) return undefined;
  const ofGroup = group === undefined || group.sort === 'listed' ? null : group.sort;
  const sort = routing?.sort ?? ofGroup;
  const maxCost = routing?.maxCost === undefined ? null : parseUsd(routing.maxCost);
  if (sort === null && maxCost === null) return undefined;
  return { sort, sorted: routing?.sort === undefined ? count.own : count.all, maxCost };
}

/** The models of a group that the key may call. @throws RequestError `model_not_allowed` when there are none. */
function membersOf({ models }: Routes, group: ModelGroup, { allowedModels }: RouteInput): CallableModel[] {
  const members = found(models, group.models, allowedModels);
  if (members.length === 0) throw new RequestError('model_not_allowed', { param: 'model' });
  return members;
}

const NONE: readonly CallableModel[] = [];

/** What the operator has set for the model. A group is a chain by itself. Passes over models the key may not call. */
function configuredFallbacks(
  { models, aliases, fallbacks }: Routes,
  { name, allowedModels }: RouteInput,
): readonly CallableModel[] {
  const slugs = fallbacks.get(aliases.get(name) ?? name);
  return slugs === undefined ? NONE : found(models, slugs, allowedModels);
}

/** What the caller has named: unlike what the operator has set, each must be right. */
function askedFallbacks(routes: Routes, input: RouteInput): CallableModel[] {
  const { allowedModels, routing } = input;
  const names = routing?.fallbacks ?? [];
  return names.map((name) => requireModel(routes, { name, allowedModels }, 'routing.fallbacks'));
}

function found(
  models: RoutableModels,
  slugs: readonly string[],
  allowedModels: RouteInput['allowedModels'],
): CallableModel[] {
  const all: CallableModel[] = [];
  for (const slug of slugs) {
    const model = allowedModels === null || allowedModels.includes(slug) ? models.find(slug) : undefined;
    if (model !== undefined) all.push(model);
  }
  return all;
}

/** @throws RequestError when a slug or alias is not that of an answer model, or of one that the key may not call. */
function requireModel(
  { models, aliases }: Routes,
  { name, allowedModels }: Pick<RouteInput, 'name' | 'allowedModels'>,
  param: string,
): CallableModel {
  const slug = aliases.get(name) ?? name;
  const model = models.find(slug);
  if (model === undefined) throw notRunnable(models, slug, param);
  if (allowedModels !== null && !allowedModels.includes(slug)) throw new RequestError('model_not_allowed', { param });
  return model;
}

function notRunnable(models: RoutableModels, slug: string, param: string): RequestError {
  const category = models.categoryOf(slug);
  if (category !== undefined && category !== 'answer') {
    return new RequestError('model_category_mismatch', { param, details: { category } });
  }
  return new RequestError('model_not_found', { param, details: { suggestions: models.suggest(slug).slice(0, 3) } });
}
