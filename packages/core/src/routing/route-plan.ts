import { RequestError } from '../base/errors/request-error.js';
import { type NanoUsd, parseUsd } from '../base/money.js';
import { unsupportedOptions } from '../base/search-options/option-support.js';
import { SEARCH_OPTIONS, type SearchOption, type SearchOptions } from '../base/search-options/search-options.js';
import type { CallableModel, Catalog } from '../catalog/catalog.js';
import type { Category } from '../catalog/model-entry.js';
import { isNextOnEmpty } from './fallback-on.js';
import { type Hedge, longestOf } from './hedges.js';
import type { FallbackOn, RouteSort, RoutingPreferences } from './routing-preferences.js';

/** Whether a model supports all requested search options. */
function isSupported(search: SearchOptions | undefined, { model }: CallableModel): boolean {
  return search === undefined || unsupportedOptions(search, model.options).length === 0;
}

const MAX_ALTERNATIVES = 5;

/** A call, as far as its route depends on it. */
interface RoutedCall {
  readonly kind: {
    readonly category: Category;
    /** Whether another model may step in. */
    readonly hasFallbacks: boolean;
  };
  /** The fields of the call that a model cannot serve. */
  unsupportedFields(model: CallableModel): readonly string[];
  /** Whether a reply is empty. Absent for a kind whose replies never are. */
  isEmpty?(value: never): boolean;
}

/** The smallest call of a kind, which every model of its category can serve. */
export function plainCall(kind: RoutedCall['kind']): RoutedCall {
  return { kind, unsupportedFields: () => [] };
}

type Wishes = Pick<RouteInput, 'call' | 'search' | 'routing'>;

/** Whether a model supports all that is asked. */
function supports({ call, search }: Wishes, model: CallableModel): boolean {
  return isSupported(search, model) && call.unsupportedFields(model).length === 0;
}

/** Whether the provider of a model has all required policies. */
function meetsPolicies({ routing }: Wishes, { facts }: CallableModel): boolean {
  return routing?.require?.every((policy) => facts.policies.includes(policy)) ?? true;
}

/** Whether a model may be asked: nothing of the call reaches any other. */
function canServe(wishes: Wishes, model: CallableModel): boolean {
  return meetsPolicies(wishes, model) && supports(wishes, model);
}

/** Up to five models that can serve the call and that the key may call. @param models all models. */
function alternativesOf(models: Iterable<CallableModel>, input: RouteInput): string[] {
  const alternatives: string[] = [];
  for (const candidate of models) {
    const { slug } = candidate.model;
    if (!(input.allowedModels?.includes(slug) ?? true)) continue;
    if (candidate.category !== input.call.kind.category || !canServe(input, candidate)) continue;
    alternatives.push(slug);
    if (alternatives.length === MAX_ALTERNATIVES) break;
  }
  return alternatives;
}

/** The error for options that none of the requested models supports. */
function unsupported({ models }: Routes, asked: readonly CallableModel[], input: RouteInput): RequestError {
  const { search = {} } = input;
  const ofSearch = optionsAtFault(search, asked);
  const fields = asked.flatMap((model) => input.call.unsupportedFields(model));
  const options = ofSearch.length > 0 ? ofSearch : [...new Set(fields)];
  const ruled = ofSearch.find((option) => search[option] !== (input.sent ?? search)[option]);
  return new RequestError('unsupported_option', {
    param: ofSearch.length > 0 ? `search.${options[0]}` : options[0],
    details: { options, models: alternativesOf(models.runnable(), input), ruled },
  });
}

function policyNotMet({ models }: Routes, input: RouteInput): RequestError {
  const details = { require: input.routing?.require ?? [], models: alternativesOf(models.runnable(), input) };
  return new RequestError('policy_not_met', { param: 'routing.require', details });
}

/** The options that no model supports; if each option has a model that supports it, the options that some model does not support. */
function optionsAtFault(search: SearchOptions, asked: readonly CallableModel[]): SearchOption[] {
  const perModel = asked.map(({ model }) => unsupportedOptions(search, model.options));
  const ofAll = SEARCH_OPTIONS.filter((option) => perModel.every((options) => options.includes(option)));
  return ofAll.length > 0 ? ofAll : SEARCH_OPTIONS.filter((option) => perModel.some((each) => each.includes(option)));
}

/** The part of the catalog that routing needs. */
export type RoutableModels = Pick<Catalog, 'find' | 'runnable' | 'categoryOf' | 'suggest'>;

/** Several models under one name. */
export interface ModelGroup {
  /** At least one slug, without repetitions. */
  readonly models: readonly string[];
  readonly sort: 'listed' | RouteSort;
  readonly fallbackOn: FallbackOn;
}

/** The operator's routes. Checked at construction: every target exists, and every name has a single meaning. */
export interface Routes {
  readonly models: RoutableModels;
  /** Other names for slugs. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Slugs to try, in order, after a slug has failed. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  readonly groups: ReadonlyMap<string, ModelGroup>;
  /** For models outside of groups. */
  readonly fallbackOn: FallbackOn;
  /** By the slug of the first model. */
  readonly hedges: ReadonlyMap<string, Hedge>;
  /** The paths that serve the categories, to name them in errors. */
  readonly paths: ReadonlyMap<Category, string>;
}

export interface RouteInput {
  /** Slug, alias or group, as the caller sent it. */
  readonly name: string;
  /** The key's allow-list of slugs; it applies to fallbacks and groups too. */
  readonly allowedModels: readonly string[] | null;
  /** Every candidate supports all of these options; absent for no options. */
  readonly search?: SearchOptions | undefined;
  /** What of them the caller has sent, and no rule has added. Default: all. */
  readonly sent?: SearchOptions | undefined;
  /** Absent if the caller has no preferences. Every candidate has all required policies. */
  readonly routing?: RoutingPreferences | undefined;
  /** Every candidate is of its category, and can serve it. */
  readonly call: RoutedCall;
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
  /** Whether an empty reply is charged, and the next candidate is asked too. Absent for `false`. */
  readonly isNextOnEmpty?: boolean | undefined;
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
 * `unsupported_option` and `policy_not_met` (with up to five models that can serve the call).
 */
export function planRoute(routes: Routes, input: RouteInput): RoutePlan {
  const { name, routing } = input;
  const group = routes.groups.get(name);
  const named = group === undefined ? [requireModel(routes, input, 'model')] : membersOf(routes, group, input);
  const next = routing?.fallbacks === undefined ? configuredFallbacks(routes, input) : askedFallbacks(routes, input);
  const able = named.filter((model) => supports(input, model));
  if (able.length === 0) throw unsupported(routes, named, input);
  const candidates = routing?.require === undefined ? able : able.filter((model) => meetsPolicies(input, model));
  const own = candidates.length;
  addOthers(candidates, next, input);
  if (candidates.length === 0) throw policyNotMet(routes, input);
  const order = orderOf(routing, group, { own, all: candidates.length });
  const hedges = permittedHedges(routes, candidates, input);
  const longestMs = longestOf(candidates, hedges);
  const plan = { candidates: candidates as [CallableModel, ...CallableModel[]], longestMs, order, hedges };
  const { fallbackOn: allowed } = group ?? routes;
  return isNextOnEmpty(input, allowed) ? { ...plan, isNextOnEmpty: true } : plan;
}

function addOthers(candidates: CallableModel[], next: readonly CallableModel[], wishes: Wishes): void {
  for (const candidate of next) {
    const { slug } = candidate.model;
    if (canServe(wishes, candidate) && candidates.every(({ model }) => model.slug !== slug)) candidates.push(candidate);
  }
}

/** A caller who has named fallbacks gets no other models. */
function permittedHedges(
  { hedges }: Routes,
  candidates: readonly CallableModel[],
  input: RouteInput,
): readonly Hedge[] | undefined {
  const { allowedModels, routing } = input;
  if (hedges.size === 0) return undefined;
  const permitted = candidates
    .flatMap(({ model }) => hedges.get(model.slug) ?? [])
    .filter(
      ({ second }) =>
        (allowedModels?.includes(second.model.slug) ?? true) &&
        canServe(input, second) &&
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
function membersOf(routes: Routes, group: ModelGroup, { allowedModels, call }: RouteInput): CallableModel[] {
  const members = found(routes.models, group.models, allowedModels);
  // All models of a group are of one category.
  const [first = ''] = group.models;
  const category = routes.models.categoryOf(first) ?? 'answer';
  if (category !== call.kind.category) throw wrongCategory(routes, category, 'model');
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
  const { allowedModels, routing, call } = input;
  const names = routing?.fallbacks ?? [];
  if (!call.kind.hasFallbacks && names.length > 0)
    throw new RequestError('unsupported_field', { param: 'routing.fallbacks' });
  return names.map((name) => requireModel(routes, { name, allowedModels, call }, 'routing.fallbacks'));
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

/** @throws RequestError if a slug or alias names no callable model of the category, or a model that the key may not call. */
function requireModel(
  routes: Routes,
  { name, allowedModels, call }: Pick<RouteInput, 'name' | 'allowedModels' | 'call'>,
  param: string,
): CallableModel {
  const { models, aliases } = routes;
  const slug = aliases.get(name) ?? name;
  const model = models.find(slug);
  const wanted = call.kind.category;
  if (model?.category !== wanted) throw notCallable(routes, { slug, wanted, param });
  if (allowedModels !== null && !allowedModels.includes(slug)) throw new RequestError('model_not_allowed', { param });
  return model;
}

interface NotCallable {
  readonly slug: string;
  readonly wanted: Category;
  readonly param: string;
}

function notCallable(routes: Routes, { slug, wanted, param }: NotCallable): RequestError {
  const { models } = routes;
  const category = models.categoryOf(slug);
  if (category !== undefined && category !== wanted) return wrongCategory(routes, category, param);
  const suggestions = models.suggest(slug, wanted).slice(0, 3);
  return new RequestError('model_not_found', { param, details: { suggestions } });
}

function wrongCategory({ paths }: Routes, category: Category, param: string): RequestError {
  return new RequestError('model_category_mismatch', {
    param,
    details: { category, path: paths.get(category) ?? null },
  });
}
