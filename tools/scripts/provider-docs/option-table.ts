import { supportedOptions } from '../../../packages/core/src/base/search-options/option-support.js';
import { SEARCH_OPTIONS, type SearchOption } from '../../../packages/core/src/base/search-options/search-options.js';
import type { ModelRow } from '../../../packages/core/src/catalog/model-entry.js';
import { wireName } from '../../../packages/core/src/http/wire-name.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { markdownTable } from './markdown-table.js';

/** The supported search options of all models: one row for all models of a provider with the same options. */
export function optionTable(providers: readonly Provider[]): string {
  const head = ['models', ...SEARCH_OPTIONS.map((option) => code(wireName(option)))];
  const supporting = providers.flatMap((provider) => groupsOf(provider).map((group) => rowOf(provider, group)));
  const none = providers.filter(({ models }) => models.every((model) => supportedOptions(model.options).length === 0));
  const rest = none.length === 0 ? '' : `\n\nNo model of ${none.map(linkTo).join(', ')} supports any.`;
  return markdownTable([head, ...supporting]) + rest;
}

/** Models grouped by equal options, without models that have no options. */
function groupsOf({ models }: Provider): ModelRow[][] {
  const groups = new Map<string, ModelRow[]>();
  for (const model of models) {
    if (supportedOptions(model.options).length === 0) continue;
    const key = JSON.stringify(model.options);
    groups.set(key, [...(groups.get(key) ?? []), model]);
  }
  return [...groups.values()];
}

function rowOf(provider: Provider, group: readonly ModelRow[]): string[] {
  const names = group.length === provider.models.length ? 'all' : group.map(({ slug }) => code(slug)).join(', ');
  return [`${linkTo(provider)}: ${names}`, ...SEARCH_OPTIONS.map((option) => cellOf(group[0], option))];
}

function cellOf(model: ModelRow | undefined, option: SearchOption): string {
  const supported = model?.options?.[option];
  if (supported === undefined) return '–';
  const { values, max, needs } = supported;
  const limits = [
    values === undefined ? [] : `${values.length} values`,
    max === undefined ? [] : `at most ${max}`,
    needs === undefined ? [] : `with ${needs.map((other) => code(wireName(other))).join(', ')}`,
  ].flat();
  return limits.length === 0 ? 'yes' : limits.join(', ');
}

function linkTo({ id, name }: Provider): string {
  return `[${name}](providers/${id}.md)`;
}

function code(text: string): string {
  return `\`${text}\``;
}
