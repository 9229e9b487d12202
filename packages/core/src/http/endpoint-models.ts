import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import type { Category } from '../catalog/model-entry.js';
import { KIND_LIST } from '../kinds/kinds.js';
import type { RoutableModels, Routes } from '../routing/route-plan.js';
import { defaultModelOf, type EndpointOptions, EXTENSION_NAMES } from './endpoint-options.js';
import type { NamedModel } from './extension.js';

/** What an endpoint names in an option. */
interface Named extends Pick<NamedModel, 'model' | 'features'> {
  readonly category: Category;
  /** Of the option. */
  readonly path: string;
}

/**
 * Checks the models that endpoints name when the gateway is built: the first call would be too late.
 *
 * @throws ConfigurationError naming the option, and the model that cannot be called or lacks a feature.
 */
export function checkEndpointModels(routes: Routes, endpoints: EndpointOptions): void {
  const problems = [...defaultModels(endpoints), ...extensionModels(endpoints)].flatMap((named) =>
    problemsOf(routes, named),
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
}

function defaultModels(endpoints: EndpointOptions): Named[] {
  return KIND_LIST.map(([name, { category }]) => {
    return { path: `endpoints.${name}.defaultModel`, model: defaultModelOf(endpoints[name]), category };
  });
}

function extensionModels(endpoints: EndpointOptions): Named[] {
  return EXTENSION_NAMES.flatMap((name) =>
    [endpoints[name] ?? []]
      .flat()
      .flatMap(({ models = [] }) => models.map((each) => ({ ...each, path: `endpoints.${name}.${each.option}` }))),
  );
}

/** Whether each model behind a name fits. Members of a group that do not fit would never be asked. */
function problemsOf({ models, aliases, groups }: Routes, named: Named): ConfigurationProblem[] {
  const { path, model: name, category, features = [] } = named;
  if (name === undefined) return [];
  const able = slugsOf(models, named);
  const unfit = (groups.get(name)?.models ?? [aliases.get(name) ?? name]).filter((slug) => !able.includes(slug));
  if (unfit.length === 0) return [];
  const behind = unfit.includes(name) ? '' : ` with ${unfit.join(', ')}`;
  const wanted = features.length === 0 ? '' : ` with the feature ${features.join(', ')}`;
  const expected = `a callable model of category ${category}${wanted}, an alias or a group of such models (${able.join(', ') || 'here is none'})`;
  // A host in JavaScript may name anything.
  const nearest = models.suggest(String(name), category).find((slug) => able.includes(slug));
  return [{ path, found: JSON.stringify(name) + behind, expected, nearest }];
}

/** The models that have what is needed. */
function slugsOf(models: RoutableModels, { category, features = [] }: Named): string[] {
  return [...models.runnable()]
    .filter((each) => each.category === category && features.every((feature) => each.facts.features.includes(feature)))
    .map(({ model }) => model.slug);
}
