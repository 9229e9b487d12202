import type { AnswerModel, PriceRow } from '../../../packages/core/src/catalog/model-entry.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import { markdownTable } from './markdown-table.js';

const REPOSITORY = 'https://github.com/searchgate/searchgate/blob/main';

/** The notes of a provider that ships without having been proved begin with this. */
const EXPERIMENTAL = /^experimental\b/i;

/** One line per model of every provider, for docs/providers.md. */
export function overviewTable(providers: readonly Provider[]): string {
  const head = ['provider', 'model', 'price', 'as of', 'confidence', 'context', 'deadline'];
  const rows = providers.flatMap((provider) =>
    provider.models.map((model) => [linkTo(provider), code(model.slug), ...figuresOf(model)]),
  );
  return markdownTable([head, ...rows]);
}

/** Every provider by its factory, for the README of core, which npm shows without the other files. */
export function providerLinks(providers: readonly Provider[]): string {
  return `${providers.map(({ id }) => `[${code(id)}](${REPOSITORY}/docs/providers/${id}.md)`).join(', ')}.`;
}

/** The models of one provider with rates, notes and sources, for its own page. */
export function modelTable({ models }: Provider): string {
  const head = ['model', 'price', 'as of', 'confidence', 'context', 'deadline', 'what it is'];
  const rows = models.map((model) => [code(model.slug), ...figuresOf(model), model.description]);
  const remarks = [
    ...remarksOf(models, ({ prices }) => prices.map(ratesOf)),
    ...remarksOf(models, ({ prices }) => prices.map(({ notes }) => notes)),
    ...remarksOf(models, (model) => [besides(model)]),
  ];
  const sources = new Set(models.flatMap(({ prices }) => prices.flatMap(({ source }) => source.split(/\s*;\s+/))));
  return [
    markdownTable([head, ...rows]),
    remarks.map((remark) => `- ${remark}`).join('\n'),
    `Sources of the prices: ${[...sources].join(', ')}`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function figuresOf({ prices, contextLength, timeoutMs }: AnswerModel): string[] {
  const [base] = prices;
  return [
    prices.map(datedPrice).join('; '),
    base?.asOf ?? '',
    base?.confidence ?? '',
    contextLength === null ? '–' : contextLength.toLocaleString('en-US'),
    `${timeoutMs / 1_000} s`,
  ];
}

/** A price in USD per answer: one figure, or from what a call typically costs to the most it is held at. */
function priceText(price: PriceRow): string {
  if (price.kind === 'flat') return price.request;
  return price.typical === price.ceiling ? price.ceiling : `${price.typical} to ${price.ceiling}`;
}

function datedPrice(price: PriceRow): string {
  return price.validFrom === undefined ? priceText(price) : `${priceText(price)} from ${price.validFrom}`;
}

/** What a dynamic price is computed from when the provider reports no cost. */
function ratesOf(price: PriceRow): string | undefined {
  if (price.kind === 'flat') return undefined;
  const tokens = [
    rate(price.perMillionInputTokens, 'in'),
    rate(price.perMillionCachedInputTokens, 'in from the cache'),
    rate(price.perMillionOutputTokens, 'out'),
  ].flat();
  const rates = [
    tokens.length === 0 ? [] : [`${tokens.join(', ')} per million tokens`],
    rate(price.perSearch, 'per search'),
  ].flat();
  const since = price.validFrom === undefined ? '' : ` from ${price.validFrom}`;
  return rates.length === 0 ? undefined : `Rates${since}: ${rates.join('; ')}.`;
}

function rate(usd: string | undefined, unit: string): string[] {
  return usd === undefined ? [] : [`${usd} ${unit}`];
}

/** What the vendor's API offers beyond what callers get. */
function besides({ vendorFeatures = [] }: AnswerModel): string | undefined {
  return vendorFeatures.length === 0
    ? undefined
    : `Offered by the API, but not open to callers of the gateway: ${vendorFeatures.map(code).join(', ')}.`;
}

/** The remarks on models, each once for all the models it holds for. */
function remarksOf(
  models: readonly AnswerModel[],
  remarks: (model: AnswerModel) => readonly (string | undefined)[],
): string[] {
  const slugs = new Map<string, string[]>();
  for (const model of models) {
    for (const remark of new Set(remarks(model).filter((text) => text !== undefined)))
      slugs.set(remark, [...(slugs.get(remark) ?? []), code(model.slug)]);
  }
  return [...slugs].map(([remark, who]) => `${who.length === models.length ? '' : `${who.join(', ')}: `}${remark}`);
}

function linkTo({ id, name, models }: Provider): string {
  const isExperimental = models.some(({ prices }) => prices.some(({ notes }) => EXPERIMENTAL.test(notes ?? '')));
  return `[${name}](providers/${id}.md)${isExperimental ? ', experimental' : ''}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
