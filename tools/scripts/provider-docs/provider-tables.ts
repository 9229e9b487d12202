import type { ModelRow, PriceRow } from '../../../packages/core/src/catalog/model-entry.js';
import { KIND_LIST } from '../../../packages/core/src/kinds/kinds.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import type { Verified } from '../../../packages/server/src/verified-models.js';
import { markdownTable } from './markdown-table.js';

const REPOSITORY = 'https://github.com/searchgate/searchgate/blob/main';

/** The notes of an unproven provider begin with this word. */
const EXPERIMENTAL = /^experimental\b/i;

const PRICE = 'price (USD)';
const RATES = 'USD per million tokens, per search';
const DEADLINE = 'deadline (s)';

/** One row per provider that answers, for docs/providers.md. */
export function overviewTable(providers: readonly Provider[]): string {
  const answering = providers.filter((provider) => provider.models.length > 0);
  const rows = answering.map((provider) => {
    const { models } = provider;
    const amounts = models.flatMap(({ prices }) => prices.flatMap(amountsOf));
    const link = `${linkTo(provider)}${models.some(isExperimental) ? ', experimental' : ''}`;
    return [link, `${models.length}`, rangeOf(amounts), rangeOf(models.map(deadlineOf))];
  });
  return markdownTable([['provider', 'models', PRICE, DEADLINE], ...rows]);
}

const amountsOf = (price: PriceRow) =>
  price.kind === 'flat' ? [price.request ?? '0'] : [price.typical, price.ceiling];

/** The least and the most of some numbers. */
function rangeOf(numbers: readonly string[]): string {
  const sorted = numbers.toSorted((one, other) => Number(one) - Number(other));
  return [...new Set([sorted[0], sorted.at(-1)])].join('–');
}

/** Every provider's factory with a link, for the README of core, which npm shows without other files. */
export function providerLinks(providers: readonly Provider[]): string {
  return `${providers.map(({ id }) => `[${code(id)}](${REPOSITORY}/docs/providers/${id}.md)`).join(', ')}.`;
}

/** The models of one provider by what they are called for, with rates and notes, for its own page. */
export function modelTable({ id, models, ...ports }: Provider, verified: Verified = {}): string {
  const ofPorts = KIND_LIST.map(([, { category, port }]) => [category, ports[port]?.models ?? []] as const);
  const kinds = [['answer', models] as const, ...ofPorts].filter(([, each]) => each.length > 0);
  const notes = kinds.flatMap(([kind, each]) => notesOf(each, kinds.length === 1 ? '' : `All ${kind} models: `));
  const rows = kinds.flatMap(([, each]) => each);
  const dates = rows.flatMap((row) => datesOf(row, verified[row.slug]));
  const list = [...notes, ...dates].map((note) => `- ${note}`).join('\n');
  return [answerTable(models), portTable(ofPorts), list, provenanceOf(id, rows)].filter(Boolean).join('\n\n');
}

/** When the prices were read, and the models whose price is an estimate. The rows in models.json have the source of each. */
function provenanceOf(id: string, models: readonly ModelRow[]): string {
  const dates = models.flatMap(({ prices }) => prices.map(({ asOf }) => asOf)).toSorted();
  const estimated = models.filter(({ prices }) => prices.some(({ confidence }) => confidence === 'low'));
  const low = estimated.length === 0 ? '' : `; low confidence: ${slugsOf(estimated)}`;
  return `Prices as of ${[...new Set([dates[0], dates.at(-1)])].join(' to ')}${low}. [Sources](../../packages/core/src/providers/${id}/models.json) · [Terms](../vendor-terms.md)`;
}

function answerTable(models: readonly ModelRow[]): string {
  const rates = models.map(ratesOf);
  const deadlines = models.map(deadlineOf);
  const columns = [
    ['model', ...models.map(({ slug }) => code(slug))],
    [PRICE, ...models.map(priceOf)],
    ...(rates.every((text) => text === '') ? [] : [[RATES, ...rates]]),
    ...(new Set(deadlines).size < 2 ? [] : [[DEADLINE, ...deadlines]]),
    ['description', ...models.map(({ description }) => description)],
  ];
  return models.length === 0
    ? ''
    : markdownTable(['', ...models].map((_, row) => columns.map((column) => column[row] ?? '')));
}

/** All other models, with one line for models of a kind that cost the same. */
function portTable(kinds: readonly (readonly [string, readonly ModelRow[]])[]): string {
  const costOf = (model: ModelRow) => [priceOf(model), ratesOf(model)].filter(Boolean).join(`; ${RATES}: `);
  const rows = kinds.flatMap(([kind, models]) =>
    grouped(models, costOf).map((group) => [kind, slugsOf(group), costOf(group[0])]),
  );
  return rows.length === 0 ? '' : markdownTable([['for', 'models', PRICE], ...rows]);
}

/** The price of a model, with its changes. */
export function priceOf({ prices }: ModelRow): string {
  return prices.map((price) => dated(price, priceText(price))).join('; ');
}

/** A price in USD per call: one figure, or the range from typical cost to ceiling; then the prices of units. */
function priceText(price: PriceRow): string {
  const { perResult, includedResults = 0, resultStep, perPage, perSearchUnit, perMillionTokens } = price;
  const beyond = includedResults === 0 ? 'per result' : `per result beyond ${includedResults}`;
  const units = [
    ...rate(perResult, resultStep ? `${beyond} in steps of ${resultStep}` : beyond),
    ...rate(perPage, 'per page'),
    ...rate(perSearchUnit, 'per search unit'),
    ...rate(perMillionTokens, 'per million tokens'),
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

/** The notes on models, each once with its models. @param all stands for all of them. */
function notesOf(models: readonly ModelRow[], all: string): string[] {
  const slugs = new Map<string, string[]>();
  for (const { prices, slug } of models) {
    const notes = new Set(prices.flatMap(({ notes: text = [] }) => text));
    for (const note of notes) slugs.set(note, [...(slugs.get(note) ?? []), code(slug)]);
  }
  const isOfAll = ({ length }: readonly string[]) => length === models.length && (length > 1 || all === '');
  return [...slugs].map(([note, who]) => `${isOfAll(who) ? all : `${who.join(', ')}: `}${note}`);
}

/** The end that a vendor announced with the model in its place, and the last real call. */
function datesOf({ slug, retiresOn, replacement }: ModelRow, last: Verified[string] | undefined): string[] {
  const called = last && `last called on ${last.day} by version ${last.version}: ${last.verdict}`;
  const next = replacement && `use ${code(replacement)}`;
  const texts = [retiresOn && `ends on ${retiresOn}`, next, called].filter(Boolean);
  return texts.length === 0 ? [] : [`${code(slug)}: ${texts.join('; ')}.`];
}

type Group = readonly [ModelRow, ...ModelRow[]];

/** Models grouped by an equal property, in their order. */
export function grouped(models: readonly ModelRow[], propertyOf: (model: ModelRow) => unknown): Group[] {
  const groups = new Map<string, Group>();
  for (const model of models) {
    const key = JSON.stringify(propertyOf(model));
    const group = groups.get(key);
    groups.set(key, group === undefined ? [model] : [...group, model]);
  }
  return [...groups.values()];
}

/** A link to the page of a provider, for documents beside its folder. */
export const linkTo = ({ id, name }: Provider) => `[${name}](providers/${id}.md)`;

function isExperimental({ prices }: ModelRow): boolean {
  return prices.some(({ notes }) => EXPERIMENTAL.test(notes ?? ''));
}

const deadlineOf = ({ timeoutMs }: ModelRow) => `${timeoutMs / 1_000}`;

export const slugsOf = (models: readonly ModelRow[]) => models.map(({ slug }) => code(slug)).join(', ');

export const code = (text: string) => `\`${text}\``;
