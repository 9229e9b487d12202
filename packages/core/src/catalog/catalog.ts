import { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
import { NO_MARKUP } from '../base/money.js';
import { nearestName, nearestNames } from '../base/options/nearest-name.js';
import { supportedOptions } from '../base/search-options/option-support.js';
import type { Clock } from '../base/time/clock.js';
import type { CallableModel, ProvidedModel } from './callable-model.js';
import {
  addedMember,
  CALLABLE_FIELDS,
  type CatalogMember,
  endMs,
  type Facts,
  listedMember,
  mergeFacts,
  modelPath,
  reportUnfitting,
  SLUG,
} from './catalog-member.js';
import { isServed, servedBy } from './categories.js';
import { compileHostPrice, compilePrices } from './compile-prices.js';
import { createCostHistories } from './cost-history.js';
import { DYNAMIC, isFree, listPricing } from './list-pricing.js';

import { LISTED_ROWS, type ListedRow } from './listed-rows.js';
import { createListings } from './listings.js';
import { CATEGORIES, type Category, type ModelEntry } from './model-entry.js';
import type { ModelOverride, ModelOverrides } from './model-overrides.js';
import { type LeadsTo, withParts } from './model-parts.js';
import { createPriceReader } from './price-reader.js';
import { priceAt } from './units.js';

export { accountOf, type CallableModel, modelAt, neededMs, type ProvidedModel } from './callable-model.js';

/** All models: the callable models and the models that are only listed. Built once; only cost histories change. */
export type Catalog = ReturnType<typeof buildCatalog>;

interface ListQuery {
  /** Default: all categories. */
  readonly category?: Category | undefined;
  /** Only models that can be called, or only the others. Default: all. */
  readonly callable?: boolean | undefined;
  /** In billionths, see `parseMultiplier`; default: no markup. */
  readonly markup?: bigint | undefined;
}

export interface CatalogOptions {
  readonly provided: readonly ProvidedModel[];
  readonly overrides: ModelOverrides;
  /** Whether callers can ask models of a category over HTTP. Models of other categories are listed as not callable. */
  isOpen(category: Category): boolean;
  /** Default: no aliases, groups, fallbacks and hedges. */
  readonly leadsTo?: LeadsTo | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Builds the catalog from the providers' models, the researched models of the categories other than `answer`, and the host's overrides of both. A provider's
 * model takes the place of the researched row with its slug.
 *
 * @throws ConfigurationError listing every problem: a model that cannot be priced, a slug used twice, an override that fits no model.
 */
export function buildCatalog({ provided, overrides, clock, isOpen, leadsTo = toItself }: CatalogOptions) {
  const built = buildAll(provided, { overrides: new Map(Object.entries(overrides)), isOpen });
  const historiesOf = createCostHistories();
  const priced = built.map(({ runnable: model }) => model).filter((model) => model !== undefined);
  const runnable = new Map<string, CallableModel>(
    priced.map((model) => [model.model.slug, { ...model, histories: historiesOf(model.model.slug) }]),
  );
  addParts(runnable, leadsTo);
  const linked = built.map(({ member }): CatalogMember => {
    const { facts = member.facts, parts } = runnable.get(member.facts.id) ?? {};
    return { ...member, facts, partPrices: parts?.flatMap(({ candidates }) => candidates.map(({ prices }) => prices)) };
  });
  const sorted = linked.sort(byCategoryThenId);
  const members = new Map(sorted.map((member) => [member.facts.id, member]));

  const bySlug = [...runnable.values()].sort((a, b) => (a.model.slug < b.model.slug ? -1 : 1));
  const pricesFromMs = bySlug.flatMap(({ prices }) => prices.map(({ validFromMs }) => validFromMs));
  const changesMs = [...pricesFromMs, ...sorted.map(endMs)];

  const slugsOf = (category: Category) =>
    bySlug.filter((each) => each.category === category).map(({ model }) => model.slug);

  const listings = createListings(({ category, callable, markup }) => {
    const nowMs = clock.now();
    const wanted = sorted
      .filter((member) => endMs(member) > nowMs)
      .filter(
        ({ facts }) =>
          facts.category === (category ?? facts.category) && facts.callable === (callable ?? facts.callable),
      );
    return {
      entries: wanted.map((member) => entryOf(member, nowMs, markup)),
      validUntilMs: Math.min(...changesMs.filter((changeMs) => changeMs > nowMs)),
    };
  });

  return {
    /** The callable model with this slug; `undefined` for any other name. */
    find: (slug: string) => runnable.get(slug),
    /** All callable models, by slug. */
    runnable: (): Iterable<CallableModel> => bySlug,
    /** `undefined` for an unknown or hidden slug. */
    categoryOf: (slug: string) => members.get(slug)?.facts.category,
    /** Up to three slugs of callable models of a category that resemble a name, nearest first. */
    suggest: (name: string, category: Category) => nearestNames(name, slugsOf(category), MAX_SUGGESTIONS),
    /**
     * Entries in the order of `CATEGORIES`, callable models first, then by id, at the present prices, without models that their vendor ended. Returns the same
     * array until a price changes or a model ends.
     */
    list: ({ category, callable, markup = NO_MARKUP }: ListQuery = {}) =>
      listings.get({ category, callable, markup }, clock.now()),
  };
}

const toItself: LeadsTo = (name) => ({ named: [name], others: [], isNextOnEmpty: false });

/** @throws ConfigurationError listing every problem of all models. */
function addParts(models: Map<string, CallableModel>, leadsTo: LeadsTo): void {
  const problems: ConfigurationProblem[] = [];
  const composed = [...models.values()].filter(({ model }) => model.parts !== undefined);
  const made = composed.map((each) => collecting(problems, () => withParts(each, models, leadsTo)));
  if (problems.length > 0) throw new ConfigurationError(problems);
  for (const each of made) if (each !== null) models.set(each.model.slug, each);
}

const MAX_SUGGESTIONS = 3;
const LISTED_CATEGORIES = CATEGORIES.filter((category) => category !== 'answer');

type PricedModel = Omit<CallableModel, 'histories'>;

/** A model before its override is applied. */
interface Source {
  readonly slug: string;
  /** @throws ConfigurationError if the declared model or its override is wrong. */
  build(override: ModelOverride): Built;
}

interface Built {
  readonly member: CatalogMember;
  /** Absent for a model that is only listed. */
  readonly runnable?: PricedModel;
}

interface BuildOptions extends Pick<CatalogOptions, 'isOpen'> {
  readonly overrides: ReadonlyMap<string, ModelOverride>;
}

/** Builds every model that is not hidden. @throws ConfigurationError listing every problem of all models. */
function buildAll(provided: readonly ProvidedModel[], { overrides, isOpen }: BuildOptions): Built[] {
  const problems: ConfigurationProblem[] = [];
  const sources = [...listedSources(provided), ...provided.map((each) => providedSource(each, isOpen(each.category)))];
  const known = new Set(sources.map(({ slug }) => slug));
  for (const [slug, { category }] of overrides) {
    if (known.has(slug)) continue;
    if (category === undefined || category === 'answer') problems.push(unknownModel(slug, known));
    else sources.push({ slug, build: (added) => ({ member: addedMember(slug, category, added) }) });
  }

  const built = new Map<string, Built | null>();
  for (const { slug, build } of sources) {
    const override = overrides.get(slug) ?? {};
    const twice = {
      path: modelPath(slug),
      found: 'two models of this slug',
      expected: 'a slug of its own for each model',
    };
    if (built.has(slug)) problems.push(twice);
    built.set(slug, override.hidden === true ? null : collecting(problems, () => build(override)));
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return [...built.values()].filter((model) => model !== null);
}

/** The researched rows, without those that a provider serves itself. */
function listedSources(provided: readonly ProvidedModel[]): Source[] {
  const served = new Set(provided.map(({ category, model }) => `${category} ${model.slug}`));
  const listed = Object.entries(LISTED_ROWS) as [keyof typeof LISTED_ROWS, readonly ListedRow[]][];
  return listed.flatMap(([category, rows]) =>
    rows
      .filter(({ id }) => !served.has(`${category} ${id}`))
      .map((row) => ({
        slug: row.id,
        build: (override) => ({ member: listedMember(row, category, override) }),
      })),
  );
}

function providedSource(provided: ProvidedModel, callable: boolean): Source {
  return {
    slug: provided.model.slug,
    build(override) {
      const facts = factsOf(provided, override, callable);
      const runnable = toRunnable(provided, override, facts);
      return { member: { facts, pricing: runnable.prices }, runnable };
    },
  };
}

function factsOf(
  { provider, policies, category, model }: ProvidedModel,
  override: ModelOverride,
  callable: boolean,
): Facts {
  const { slug: id, features, options, ...known } = model;
  const served = features.filter((feature) => isServed(feature, category));
  const takesOptions = category === 'answer' || category === 'search';
  return mergeFacts(
    {
      ...known,
      id,
      createdMs: Math.min(...model.prices.map(({ validFrom, asOf }) => Date.parse(validFrom ?? asOf))),
      category,
      provider,
      callable,
      features: served,
      policies,
      ...(takesOptions && { options: supportedOptions(options) }),
    },
    override,
  );
}

/** The longest delay of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function toRunnable({ provider, category, model }: ProvidedModel, override: ModelOverride, facts: Facts): PricedModel {
  const path = modelPath(model.slug);
  const reader = createPriceReader();
  reportUnfitting(reader, override, { path, category, fits: CALLABLE_FIELDS });
  for (const [index, feature] of (override.features ?? []).entries()) {
    if (isServed(feature, category)) continue;
    const expected = `a feature that callers of this gateway can use, such as ${servedBy(category).join(', ')}`;
    reader.wrong(`${path}.features[${index}]`, feature, expected);
  }
  if (!SLUG.test(model.slug) || !model.slug.startsWith(`${provider}/`))
    reader.wrong(path, model.slug, `a slug of the form ${provider}/<model>`);
  reader.dateMs(model.retiresOn, `${path}.retiresOn`);
  const timeoutMs = override.timeoutMs ?? model.timeoutMs;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMER_MS)
    reader.wrong(`${path}.timeoutMs`, timeoutMs, `a whole number from 1 to ${MAX_TIMER_MS}`);
  const prices =
    override.price === undefined
      ? compilePrices(reader, model.prices, `${path}.prices`)
      : compileHostPrice(reader, override.price, { path: `${path}.price`, category });
  reader.finish();
  const leastDimensions = override.leastDimensions ?? model.leastDimensions ?? 1;
  return { category, model, provider, facts, prices, timeoutMs, leastDimensions };
}

function unknownModel(slug: string, known: Iterable<string>): ConfigurationProblem {
  const nearest = nearestName(slug, known);
  return {
    path: modelPath(slug),
    found: 'an unknown model',
    expected: `a model of the catalog or of a configured provider, or a category among ${LISTED_CATEGORIES.join(', ')} to add one; answer models come with their provider`,
    ...(nearest !== undefined && { nearest }),
  };
}

/** Runs one step of the construction. Its configuration errors are reported together with those of the other steps. */
function collecting<T>(problems: ConfigurationProblem[], build: () => T): T | null {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

function byCategoryThenId({ facts: a }: CatalogMember, { facts: b }: CatalogMember): number {
  const byCategory = CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category);
  return byCategory || Number(b.callable) - Number(a.callable) || (a.id < b.id ? -1 : 1);
}

function entryOf({ facts, pricing, partPrices = [] }: CatalogMember, nowMs: number, markup: bigint): ModelEntry {
  const price = 'kind' in pricing ? pricing : priceAt(pricing, nowMs);
  const { rates } = price;
  const { includedResults = null, resultStep = null } = rates !== null && rates.perResult > 0n ? rates : {};
  const hasFreeParts = partPrices.every((prices) => isFree(priceAt(prices, nowMs)));
  const free = hasFreeParts && isFree(price) && { free: true as const };
  // Of a model that is made of others, this is only a part of the price.
  const listed = hasFreeParts ? listPricing(price, markup) : { ...listPricing(price, markup), request: DYNAMIC };
  return { ...facts, pricing: listed, ...free, includedResults, resultStep };
}
