import { RequestError } from '../base/errors/request-error.js';
import { type NanoUsd, parseUsd } from '../base/money.js';
import { unsupportedOptions } from '../base/search-options/option-support.js';
import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { Category } from '../catalog/model-entry.js';
import type { Hedge } from './hedges.js';
import type { RouteSort, RoutingPreferences } from './routing-preferences.js';

/** Whether a model supports all requested search options. */
function isSupported(search: SearchOptions | undefined, { model }: CallableModel): boolean {
  return search === undefined || unsupportedOptions(search, model.options).length === 0;
}

const MAX_ALTERNATIVES = 5;

interface AskedSearchOptions {
  readonly search: SearchOptions | undefined;
  /** The key's allow-list of slugs. */
  readonly allowedModels: readonly string[] | null;
}

/** The error for search options that none of the requested models supports. @param models all models, to name alternatives. */
function unsupported(
  models: Iterable<CallableModel>,
  asked: readonly CallableModel[],
  { search = {}, allowedModels }: AskedSearchOptions,
): RequestError {
  const options = optionsAtFault(search, asked);
  const alternatives: string[] = [];
  for (const candidate of models) {
    const { slug } = candidate.model;
    if (!(allowedModels?.includes(slug) ?? true) || !isSupported(search, candidate)) continue;
    alternatives.push(slug);
    if (alternatives.length === MAX_ALTERNATIVES) break;
  }
  return new RequestError('unsupported_option', {
    param: `search.${options[0]}`,
    details: { options, models: alternatives },
  });
}

/** The options that no model supports; if each option has a model that supports it, the options that some model does not support. */
function optionsAtFault(search: SearchOptions, asked: readonly CallableModel[]): SearchOption[] {
  const perModel = asked.map(({ model }) => unsupportedOptions(search, model.options));
  const ofAll = SEARCH_OPTIONS.filter((option) => perModel.every((options) => options.includes(option)));
  return ofAll.length > 0 ? ofAll : SEARCH_OPTIONS.filter((option) => perModel.some((each) => each.includes(option)));
}

/** The part of the catalog that routing needs. */
export interface RoutableModels {
  find(slug: string): CallableModel | undefined;
  /** All callable models, by slug. */
  runnable(): Iterable<CallableModel>;
  categoryOf(slug: string): Category | undefined;
  suggest(name: string): readonly string[];
}

/** Several models under one name. */
export interface ModelGroup {
  /** At least one slug, without repetitions. */
  readonly models: readonly string[];
  readonly sort: 'listed' | RouteSort;
}

/** The operator's routes. Checked at construction: every target exists, and every name has a single meaning. */
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
  /** Every candidate supports all of these options; absent for no options. */
  readonly search?: SearchOptions | undefined;
  /** Absent if the caller has no preferences. */
  readonly routing?: RoutingPreferences | undefined;
}

/** The models that may serve a request, in the order they are tried. */
export interface RoutePlan {
  readonly candidates: readonly [CallableModel, ...CallableModel[]];
  /** The longest time of the call in milliseconds: the deadlines of each candidate and each hedge model, once each; retries share the deadline. */
  readonly longestMs: number;
  /** Sorting by prices or latencies when the call begins; absent if the candidates keep their order. */
  readonly order?: CandidateOrder | undefined;
  /** The hedges of slow candidates; absent for no hedges. */
  readonly hedges?: readonly Hedge[] | undefined;
}

export interface CandidateOrder {
  readonly sort: RouteSort | null;
  /** The number of candidates at the beginning that are sorted; the others keep their places. */
  readonly sorted: number;
  /** The maximum hold for a candidate; `null` for no bound. */
  readonly maxCost: NanoUsd | null;
}

/**
 * Resolves a name to the models that may serve it. Pure: same input, same plan.
 *
 * @throws RequestError `model_not_found` (with up to three suggestions), `model_category_mismatch`, `model_not_allowed`,
 * `unsupported_option` (with up to five models that support the options).
 */
export function planRoute(routes: Routes, input: RouteInput): RoutePlan {
  const { name, allowedModels, search, routing } = input;
  const group = routes.groups.get(name);
  const named = group === undefined ? [requireModel(routes, input, 'model')] : membersOf(routes, group, input);
  const next = routing?.fallbacks === undefined ? configuredFallbacks(routes, input) : askedFallbacks(routes, input);
  const candidates = search === undefined ? named : named.filter((model) => isSupported(search, model));
  const own = candidates.length;
  if (own === 0) throw unsupported(routes.models.runnable(), named, { search, allowedModels });
  addOthers(candidates, next, search);
  const order = orderOf(routing, group, { own, all: candidates.length });
  const hedges = permittedHedges(routes, candidates, input);
  const longestMs = longestOf(candidates, hedges);
  return { candidates: candidates as [CallableModel, ...CallableModel[]], longestMs, order, hedges };
}

function addOthers(candidates: CallableModel[], next: readonly CallableModel[], search: RouteInput['search']): void {
  for (const candidate of next) {
    const { slug } = candidate.model;
    if (isSupported(search, candidate) && candidates.every(({ model }) => model.slug !== slug))
      candidates.push(candidate);
  }
}

/** The {@link RoutePlan.longestMs} of these candidates and hedges. */
export function longestOf(candidates: readonly CallableModel[], hedges: readonly Hedge[] | undefined): number {
  let longestMs = 0;
  for (const { timeoutMs } of candidates) longestMs += timeoutMs;
  if (hedges === undefined) return longestMs;
  const seconds = new Set(hedges.map(({ second }) => second).filter((second) => !candidates.includes(second)));
  for (const { timeoutMs } of seconds) longestMs += timeoutMs;
  return longestMs;
}

/** A caller who has named fallbacks gets no other models. */
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
        isSupported(search, second) &&
        (routing?.fallbacks === undefined || candidates.includes(second)),
    );
  return permitted.length === 0 ? undefined : permitted;
}

/** The caller's order applies to all candidates, the order of a group only to the models of the group. */
function orderOf(
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

/** The models of a group that the key may call. @throws RequestError `model_not_allowed` if the key may call no model of the group. */
function membersOf({ models }: Routes, group: ModelGroup, { allowedModels }: RouteInput): CallableModel[] {
  const members = found(models, group.models, allowedModels);
  if (members.length === 0) throw new RequestError('model_not_allowed', { param: 'model' });
  return members;
}

const NONE: readonly CallableModel[] = [];

/** The operator's fallbacks of the model; none for a group, which is a chain by itself. Skips models that the key may not call. */
function configuredFallbacks(
  { models, aliases, fallbacks }: Routes,
  { name, allowedModels }: RouteInput,
): readonly CallableModel[] {
  const slugs = fallbacks.get(aliases.get(name) ?? name);
  return slugs === undefined ? NONE : found(models, slugs, allowedModels);
}

/** The caller's fallbacks. Unlike the operator's fallbacks, each must exist and be allowed. */
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

/** @throws RequestError if a slug or alias names no answer model, or an answer model that the key may not call. */
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
