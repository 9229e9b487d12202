import { supportedOptions } from '../../../packages/core/src/base/search-options/option-support.js';
import type { SearchOption } from '../../../packages/core/src/base/search-options/search-options.js';
import type { ModelRow } from '../../../packages/core/src/catalog/model-entry.js';
import { wireName } from '../../../packages/core/src/http/wire-name.js';
import { DEFAULT_MAX_RESULTS } from '../../../packages/core/src/kinds/search.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { markdownTable } from './markdown-table.js';
import { code, grouped, linkTo, priceOf, slugsOf } from './provider-tables.js';

/** The supported search options of all answer models: one row for all models of a provider with the same options. */
export function optionTable(providers: readonly Provider[]): string {
  const supports = ({ options }: ModelRow) => supportedOptions(options).length > 0;
  const rows = providers.flatMap((provider) =>
    grouped(provider.models.filter(supports), ({ options }) => options).map((group) => [
      `${linkTo(provider)}: ${namesOf(group, provider.models)}`,
      optionList(group[0]),
    ]),
  );
  const none = providers.filter(({ models }) => models.length > 0 && !models.some(supports));
  const rest = none.length === 0 ? '' : `\n\nNo model of ${none.map(linkTo).join(', ')} supports any.`;
  return markdownTable([['models', 'options'], ...rows]) + rest;
}

/** Features of answers that a client may depend on, in the order of docs/conversations.md. */
const FEATURES = ['multi_turn', 'json_schema', 'instructions', 'max_output_tokens'];

/** Whose answer models have each of these features: the provider's name, with slugs where only some have it. */
export function featureTable(providers: readonly Provider[]): string {
  const rows = FEATURES.map((feature) => {
    const having = providers.flatMap((provider) => {
      const models = provider.models.filter(({ features }) => features.includes(feature));
      if (models.length === 0) return [];
      return models.length === provider.models.length ? provider.name : slugsOf(models);
    });
    return [code(feature), having.join(', ')];
  });
  return markdownTable([['feature', 'models of'], ...rows]);
}

/** What search models cost and honor: one row for all models of a provider that are equal in it. */
export function searchTable(providers: readonly Provider[]): string {
  const head = ['models', 'price (USD)', 'most results', 'page text', 'options'];
  const rows = providers.flatMap((provider) => {
    const cellsOf = (model: ModelRow) => [
      priceOf(model),
      `${model.maxResults ?? DEFAULT_MAX_RESULTS}`,
      model.features.includes('content') ? 'yes' : '–',
      optionList(model),
    ];
    return grouped(provider.search?.models ?? [], cellsOf).map(([first, ...others]) => [
      `${linkTo(provider)}: ${namesOf([first, ...others])}`,
      ...cellsOf(first),
    ]);
  });
  return markdownTable([head, ...rows]);
}

/** What extract models cost, and how many pages one request to the vendor reads. */
export function extractTable(providers: readonly Provider[]): string {
  const rows = providers.flatMap((provider) =>
    (provider.extract?.models ?? []).map((model) => [
      `${linkTo(provider)}: ${code(model.slug)}`,
      priceOf(model),
      `${provider.extract?.maxUrls}`,
      `${model.timeoutMs / 1_000}`,
    ]),
  );
  return markdownTable([['model', 'price (USD)', 'pages per request', 'deadline (s)'], ...rows]);
}

/** What rerank models cost. */
function rerankTable(providers: readonly Provider[]): string {
  const rows = providers.flatMap((provider) =>
    grouped(provider.rerank?.models ?? [], priceOf).map(([first, ...others]) => [
      `${linkTo(provider)}: ${namesOf([first, ...others])}`,
      priceOf(first),
    ]),
  );
  return markdownTable([['models', 'price (USD)'], ...rows]);
}

/** What embedding models cost, how long their vectors are and may be, and whether they know roles. */
function embedTable(providers: readonly Provider[]): string {
  // Vectors have no other price, so the head names its unit.
  const unit = ' per million tokens';
  const rows = providers.flatMap((provider) => {
    const cellsOf = (model: ModelRow) => [
      priceOf(model).replace(unit, ''),
      lengthsOf(model),
      model.features.includes('input_type') ? 'yes' : '–',
    ];
    return grouped(provider.embed?.models ?? [], cellsOf).map(([first, ...others]) => [
      `${linkTo(provider)}: ${namesOf([first, ...others])}`,
      ...cellsOf(first),
    ]);
  });
  return markdownTable([['models', `USD${unit}`, code('dimensions'), code('input_type')], ...rows]);
}

function lengthsOf({ features, dimensions, leastDimensions = 1, vectorLengths }: ModelRow): string {
  const others =
    vectorLengths?.filter((length) => length !== dimensions).join(', ') ?? `${leastDimensions} to ${dimensions}`;
  return features.includes('dimensions_param') ? `${dimensions}; ${others}` : `${dimensions}`;
}

/** The table of each kind of calls but questions, by the name of its page. */
export const KIND_TABLES = {
  search: searchTable,
  extract: extractTable,
  rerank: rerankTable,
  embeddings: embedTable,
};

/** @param all the models of which the names are; "all" stands for all of them. */
function namesOf(group: readonly ModelRow[], all: readonly ModelRow[] = []): string {
  return group.length === all.length ? 'all' : slugsOf(group);
}

/** The supported options of a model in one cell. */
function optionList(model: ModelRow): string {
  const names = supportedOptions(model.options).map((option) => code(wireName(option)) + limitsOf(model, option));
  return names.length === 0 ? '–' : names.join(', ');
}

/** The vendor's limits on an option. */
function limitsOf(model: ModelRow, option: SearchOption): string {
  const { values, max } = model.options?.[option] ?? {};
  const limits = [
    values === undefined ? [] : `${values.length} values`,
    max === undefined ? [] : `at most ${max}`,
  ].flat();
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}
