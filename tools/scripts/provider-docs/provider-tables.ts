import type { ModelRow, PriceRow } from '../../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { markdownTable } from './markdown-table.js';

const REPOSITORY = 'https://github.com/searchgate/searchgate/blob/main';

/** The notes of an unproven provider begin with this word. */
const EXPERIMENTAL = /^experimental\b/i;

const PRICE = 'price (USD)';

/** One row per model of every provider, for docs/providers.md. */
export function overviewTable(providers: readonly Provider[]): string {
  const rows = providers.flatMap((provider) =>
    provider.models.map((model) => [linkTo(provider, model), priceOf(model), `${model.timeoutMs / 1_000}`]),
  );
  return markdownTable([['model', PRICE, 'deadline (s)'], ...rows]);
}

/** Every provider's factory with a link, for the README of core, which npm shows without other files. */
export function providerLinks(providers: readonly Provider[]): string {
  return `${providers.map(({ id }) => `[${code(id)}](${REPOSITORY}/docs/providers/${id}.md)`).join(', ')}.`;
}

/** The models of one provider by what they are called for, with rates, notes and sources, for its own page. */
export function modelTable({ models, search, extract }: Provider): string {
  const kinds = Object.entries({ answer: models, search: search?.models ?? [], extract: extract?.models ?? [] }).filter(
    ([, rows]) => rows.length > 0,
  );
  const isOnly = kinds.length === 1;
  const tables = kinds.map(([kind, rows]) => tableOf(kind === 'answer' ? 'model' : `${kind} model`, rows));
  const remarks = [notesOf, besides].flatMap((remark) =>
    kinds.flatMap(([kind, rows]) => remarksOf(rows, remark, isOnly ? '' : `All ${kind} models: `)),
  );
  const prices = kinds.flatMap(([, rows]) => rows.flatMap((model) => model.prices));
  const sources = new Set(prices.flatMap(({ source }) => source.split(/\s*;\s+/)));
  return [
    ...tables,
    remarks.map((remark) => `- ${remark}`).join('\n'),
    `Sources of the prices: ${[...sources].join(', ')}`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function tableOf(kind: string, models: readonly ModelRow[]): string {
  const rates = models.map(ratesOf);
  const columns = [
    [kind, ...models.map(({ slug }) => code(slug))],
    [PRICE, ...models.map(priceOf)],
    ...(rates.every((text) => text === '') ? [] : [['USD per million tokens, per search', ...rates]]),
    ['as of', ...models.map(({ prices }) => prices[0]?.asOf ?? '')],
    ['confidence', ...models.map(({ prices }) => prices[0]?.confidence ?? '')],
    ['description', ...models.map(({ description }) => description)],
  ];
  return markdownTable([kind, ...models].map((_, row) => columns.map((column) => column[row] ?? '')));
}

/** The price of a model, with its changes. */
export function priceOf({ prices }: ModelRow): string {
  return prices.map((price) => dated(price, priceText(price))).join('; ');
}

/** A price in USD per call: one figure, or the range from typical cost to ceiling; then the prices of units. */
function priceText(price: PriceRow): string {
  const { perResult, includedResults = 0, resultStep, perPage } = price;
  const beyond = includedResults === 0 ? 'per result' : `per result beyond ${includedResults}`;
  const units = [
    ...rate(perResult, resultStep ? `${beyond} in steps of ${resultStep}` : beyond),
    ...rate(perPage, 'per page'),
  ];
  if (price.kind === 'flat') return [price.request ?? (units.length === 0 ? '0' : []), units].flat().join(' + ');
  const range = price.typical === price.ceiling ? price.ceiling : `${price.typical}–${price.ceiling}`;
  // The units of a dynamic price are inside its range.
  return units.length === 0 ? range : `${range} (${units.join(' + ')})`;
}

function dated({ validFrom }: PriceRow, text: string): string {
  return validFrom === undefined ? text : `${text} from ${validFrom}`;
}

/** The rates for computing a dynamic price when the provider reports no cost. */
function ratesOf({ prices }: ModelRow): string {
  return prices
    .filter((price) => price.kind === 'dynamic')
    .map((price) => ({
      price,
      rates: [
        rate(price.perMillionInputTokens, 'in'),
        rate(price.perMillionCachedInputTokens, 'cached'),
        rate(price.perMillionOutputTokens, 'out'),
        rate(price.perSearch, 'search'),
      ].flat(),
    }))
    .filter(({ rates }) => rates.length > 0)
    .map(({ price, rates }) => dated(price, rates.join(', ')))
    .join('; ');
}

function rate(usd: string | undefined, unit: string): string[] {
  return usd === undefined ? [] : [`${usd} ${unit}`];
}

function notesOf({ prices }: ModelRow): string[] {
  return prices.flatMap(({ notes = [] }) => notes);
}

/** Features of the vendor's API that the gateway does not offer. */
function besides({ vendorFeatures = [] }: ModelRow): string[] {
  return vendorFeatures.length === 0 ? [] : [`Not offered: ${vendorFeatures.map(code).join(', ')}.`];
}

/** The remarks on models, each once with its models. @param all stands for all of them. */
function remarksOf(models: readonly ModelRow[], remarks: (model: ModelRow) => string[], all: string): string[] {
  const slugs = new Map<string, string[]>();
  for (const model of models) {
    for (const remark of new Set(remarks(model))) slugs.set(remark, [...(slugs.get(remark) ?? []), code(model.slug)]);
  }
  const isOfAll = ({ length }: readonly string[]) => length === models.length && (length > 1 || all === '');
  return [...slugs].map(([remark, who]) => `${isOfAll(who) ? all : `${who.join(', ')}: `}${remark}`);
}

function linkTo({ id }: Provider, { slug, prices }: ModelRow): string {
  const isExperimental = prices.some(({ notes }) => EXPERIMENTAL.test(notes ?? ''));
  return `[${code(slug)}](providers/${id}.md)${isExperimental ? ', experimental' : ''}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
