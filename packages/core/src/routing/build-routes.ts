import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { nearestName } from '../base/options/nearest-name.js';
import { CATEGORIES, type Category } from '../catalog/model-entry.js';
import type { LeadsTo } from '../catalog/model-parts.js';
import type { Hedge } from './hedges.js';
import type { ParsedHedging } from './hedging-options.js';
import type { ModelGroup, RoutableModels, Routes } from './route-plan.js';
import type { FallbackOn } from './routing-preferences.js';

export interface ConfiguredRoutes {
  readonly paths: ReadonlyMap<Category, string>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly fallbacks: Readonly<Record<string, readonly string[]>>;
  readonly groups: Readonly<Record<string, ModelGroup>>;
  readonly fallbackOn: FallbackOn;
  readonly hedging: ParsedHedging;
}

/**
 * Checks the configured routes against the callable models.
 *
 * @throws ConfigurationError for an alias or a group with the name of a model, for a group with the name of an alias, for unknown slugs, for a repeated model
 * in a group, for a model that falls back to itself, for a model that is its own hedge, for models of several categories in one chain, group or hedge, and for
 * an embedding model in any of them.
 */
export function buildRoutes(models: RoutableModels, configured: ConfiguredRoutes): Routes {
  const { aliases, fallbacks, groups, fallbackOn, hedging, paths } = configured;
  const problems = [
    ...Object.entries(aliases).flatMap(([alias, slug]) => aliasProblems(models, alias, slug)),
    ...Object.entries(fallbacks).flatMap(([slug, chain]) => chainProblems(models, slug, chain)),
    ...Object.entries(groups).flatMap(([name, group]) => groupProblems(models, aliases, { name, group })),
    ...Object.entries(hedging.hedges).flatMap(([slug, hedge]) => hedgeProblems(models, slug, hedge.with)),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    models,
    aliases: new Map(Object.entries(aliases)),
    fallbacks: new Map(Object.entries(fallbacks)),
    groups: new Map(Object.entries(groups)),
    fallbackOn,
    hedges: hedgesOf(models, hedging),
    paths,
  };
}

/** The models that a name may lead to by the configured routes, which are not checked. */
export function leadsTo({ aliases, fallbacks, groups, fallbackOn, hedging }: Omit<ConfiguredRoutes, 'paths'>): LeadsTo {
  return (name) => {
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const slug = aliases[name] ?? name;
    const named = group?.models ?? [slug];
    const next = group === undefined ? (fallbacks[slug] ?? []) : [];
    const hedges = [...named, ...next].flatMap((each) => hedging.hedges[each]?.with ?? []);
    const isNextOnEmpty = (group?.fallbackOn ?? fallbackOn).includes('empty');
    return { named, others: [...next, ...hedges], isNextOnEmpty };
  };
}

function aliasProblems(models: RoutableModels, alias: string, slug: string): ConfigurationProblem[] {
  const path = `aliases[${JSON.stringify(alias)}]`;
  if (models.categoryOf(alias) !== undefined)
    return [{ path, found: 'the slug of a model', expected: 'a name no model has' }];
  return slugProblems(models, { path, slug });
}

function chainProblems(models: RoutableModels, slug: string, chain: readonly string[]): ConfigurationProblem[] {
  const path = `fallbacks[${JSON.stringify(slug)}]`;
  const repeated = new Set([slug, ...chain]).size !== chain.length + 1;
  return [
    ...slugProblems(models, { path, slug }),
    ...vectorProblems(models, { path, slugs: chain.length === 0 ? [] : [slug] }),
    ...chain.flatMap((fallback, index) =>
      slugProblems(models, { path: `${path}[${index}]`, slug: fallback, like: slug }),
    ),
    ...(repeated ? [{ path, found: 'a model twice', expected: 'each model once, and not the model itself' }] : []),
  ];
}

function groupProblems(
  models: RoutableModels,
  aliases: ConfiguredRoutes['aliases'],
  { name, group }: { name: string; group: ModelGroup },
): ConfigurationProblem[] {
  const path = `groups[${JSON.stringify(name)}]`;
  const expected = 'a name no model and no alias has';
  const repeated = new Set(group.models).size !== group.models.length;
  return [
    ...(models.categoryOf(name) === undefined ? [] : [{ path, found: 'the slug of a model', expected }]),
    ...(Object.hasOwn(aliases, name) ? [{ path, found: 'an alias', expected }] : []),
    ...vectorProblems(models, { path: `${path}.models`, slugs: group.models.slice(1) }),
    ...group.models.flatMap((slug, index) =>
      slugProblems(models, { path: `${path}.models[${index}]`, slug, like: group.models[0] }),
    ),
    ...(repeated ? [{ path: `${path}.models`, found: 'a model twice', expected: 'each model once' }] : []),
  ];
}

function hedgeProblems(models: RoutableModels, slug: string, second: string): ConfigurationProblem[] {
  const path = `hedging[${JSON.stringify(slug)}]`;
  const itself = { path: `${path}.with`, found: 'the model itself', expected: 'another model' };
  return [
    ...slugProblems(models, { path, slug }),
    ...vectorProblems(models, { path, slugs: [slug] }),
    ...(second === slug ? [itself] : slugProblems(models, { path: `${path}.with`, slug: second, like: slug })),
  ];
}

function hedgesOf(models: RoutableModels, { hedges }: ParsedHedging): Map<string, Hedge> {
  const built = new Map<string, Hedge>();
  for (const [slug, { afterMs, maxExtraCost, with: other }] of Object.entries(hedges)) {
    const [first, second] = [models.find(slug), models.find(other)];
    if (first !== undefined && second !== undefined) built.set(slug, { first, second, afterMs, maxExtraCost });
  }
  return built;
}

/** Vectors of another model are of no use beside those of the first: a caller would mix them in one index without noticing. */
function vectorProblems(
  models: RoutableModels,
  { path, slugs }: { readonly path: string; readonly slugs: readonly string[] },
): ConfigurationProblem[] {
  const found = 'an embedding model';
  const expected = 'no other model beside an embedding model, whose vectors are of use only beside its own';
  return slugs.some((slug) => models.find(slug)?.category === 'embedding') ? [{ path, found, expected }] : [];
}

interface NamedSlug {
  readonly path: string;
  readonly slug: string;
  /** The slug of a model whose category the slug must have too. */
  readonly like?: string | undefined;
}

function slugProblems(models: RoutableModels, { path, slug, like }: NamedSlug): ConfigurationProblem[] {
  const known = models.find(slug);
  const wanted = like === undefined ? undefined : models.find(like)?.category;
  if (known !== undefined) {
    if (wanted === undefined || known.category === wanted) return [];
    return [{ path, found: `a model of category ${known.category}`, expected: `a model of category ${wanted}` }];
  }
  const nearest = nearestName(
    slug,
    CATEGORIES.flatMap((category) => models.suggest(slug, category)),
  );
  const problem = {
    path,
    found: JSON.stringify(slug),
    expected: 'the slug of a callable model of a configured provider',
  };
  return [nearest === undefined ? problem : { ...problem, nearest }];
}
