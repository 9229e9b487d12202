import { hostPriceOf } from './categories.js';
import type { CompiledPrices } from './compile-prices.js';
import { type CompiledListedPricing, readListedPricing } from './list-pricing.js';
import type { ListedRow } from './listed-rows.js';
import type { Category, ModelEntry, WrittenPricing } from './model-entry.js';
import type { ModelOverride } from './model-overrides.js';
import { createPriceReader, type PriceReader } from './price-reader.js';

/** The listed fields of a model except those of its price. */
export type Facts = Omit<ModelEntry, 'pricing' | 'free' | 'includedResults' | 'resultStep'>;

/** A listed model whose price is still to be printed. */
export interface CatalogMember {
  readonly facts: Facts;
  readonly pricing: CompiledPrices | CompiledListedPricing;
  /** Of the models that it may be made of. Absent for a model without parts. */
  readonly partPrices?: readonly CompiledPrices[] | undefined;
}

const DAY_MS = 86_400_000;

/** The end of the day (UTC) on which its vendor ends the model. */
export function endMs({ facts: { retiresOn } }: CatalogMember): number {
  return retiresOn === null ? Number.POSITIVE_INFINITY : Date.parse(retiresOn) + DAY_MS;
}

/** `<provider>/<model>`. A colon is reserved for routing variants. */
export const SLUG = /^[a-z0-9][a-z0-9-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** The path of a model in the options, for error messages. */
export function modelPath(slug: string): string {
  return `models[${JSON.stringify(slug)}]`;
}

/** A researched model with the host's override. @throws ConfigurationError if the override does not fit. */
export function listedMember(row: ListedRow, category: Category, override: ModelOverride): CatalogMember {
  const path = modelPath(row.id);
  const reader = createPriceReader();
  reportUnfitting(reader, override, { path, category, fits: LISTED_FIELDS });
  const facts = mergeFacts(
    { ...row, createdMs: Date.parse(row.provenance.asOf), category, provider: providerOf(row.id), callable: false },
    override,
  );
  const pricing = readPricing(reader, override, { path, known: row.pricing, category });
  reader.finish();
  return { facts, pricing };
}

/** A model that the host adds. @throws ConfigurationError if a required field is missing or a field does not fit. */
export function addedMember(slug: string, category: Category, added: ModelOverride): CatalogMember {
  const path = modelPath(slug);
  const reader = createPriceReader();
  if (!SLUG.test(slug)) reader.wrong(path, slug, 'a slug of the form <provider>/<model>');
  reportUnfitting(reader, added, { path, category, fits: [...LISTED_FIELDS, 'provider'] });
  const { name = '', description = '', provider = providerOf(slug) } = added;
  for (const [field, value] of Object.entries({ name, description })) {
    const expected = `the ${field} of the model that is added`;
    if (value === '') reader.problem({ path: `${path}.${field}`, found: 'nothing', expected });
  }
  const facts = mergeFacts(
    { id: slug, createdMs: 0, name, description, category, provider, callable: false, features: [] },
    added,
  );
  const pricing = readPricing(reader, added, { path, known: {}, category });
  reader.finish();
  return { facts, pricing };
}

type RequiredFact = 'id' | 'createdMs' | 'name' | 'category' | 'provider' | 'description' | 'features' | 'callable';
type KnownFacts = Pick<Facts, RequiredFact> & { readonly [Fact in keyof Facts]?: Facts[Fact] | undefined };

/** The facts of a model with the host's override; `null` for a field that does not apply. Picks field by field, so no other field is ever listed. */
export function mergeFacts(known: KnownFacts, override: ModelOverride): Facts {
  return {
    id: known.id,
    createdMs: known.createdMs,
    name: override.name ?? known.name,
    category: known.category,
    provider: known.provider,
    description: override.description ?? known.description,
    searchTypes: frozen(override.searchTypes ?? known.searchTypes ?? null),
    features: frozen(override.features ?? known.features),
    policies: frozen(known.policies ?? []),
    ...(known.options === undefined ? {} : { options: Object.freeze([...known.options]) }),
    maxResults: override.maxResults ?? known.maxResults ?? null,
    dimensions: override.dimensions ?? known.dimensions ?? null,
    maxInputTokens: override.maxInputTokens ?? known.maxInputTokens ?? null,
    contextLength: override.contextLength ?? known.contextLength ?? null,
    retiresOn: known.retiresOn ?? null,
    replacement: known.replacement ?? null,
    verifiedAt: override.verifiedAt ?? null,
    callable: known.callable,
  };
}

type OverrideField = keyof ModelOverride;

const COMMON = ['hidden', 'name', 'description', 'features', 'contextLength', 'price', 'category'] as const;
export const CALLABLE_FIELDS: readonly OverrideField[] = [...COMMON, 'timeoutMs', 'verifiedAt'];
const LISTED_FIELDS: readonly OverrideField[] = [...COMMON, 'pricing', 'maxInputTokens'];
const CATEGORY_FIELDS: Partial<Record<Category, readonly OverrideField[]>> = {
  search: ['searchTypes', 'maxResults'],
  embedding: ['dimensions', 'leastDimensions'],
};

interface Fit {
  readonly path: string;
  readonly category: Category;
  readonly fits: readonly OverrideField[];
}

/** Reports the fields of an override that do not apply to a model of this category. */
export function reportUnfitting(reader: PriceReader, override: ModelOverride, { path, category, fits }: Fit): void {
  const applicable = [...fits, ...(CATEGORY_FIELDS[category] ?? [])];
  for (const field of Object.keys(override) as OverrideField[]) {
    if (override[field] === undefined || applicable.includes(field)) continue;
    const expected = `no ${field}, which does not apply to this model of category ${category}`;
    reader.wrong(`${path}.${field}`, override[field], expected);
  }
  if (override.category !== undefined && override.category !== category) {
    const expected = `"${category}", the category of this model`;
    reader.wrong(`${path}.category`, override.category, expected);
  }
}

interface Known {
  readonly path: string;
  readonly known: WrittenPricing;
  readonly category: Category;
}

function readPricing(
  reader: PriceReader,
  { price, pricing }: ModelOverride,
  { path, known, category }: Known,
): CompiledListedPricing {
  if (price === undefined) return readListedPricing(reader, pricing ?? known, `${path}.pricing`);
  if (pricing !== undefined) reader.problem({ path, found: 'price and pricing', expected: 'one of the two' });
  const unit = hostPriceOf(category) ?? 'request';
  if (typeof price === 'string') return readListedPricing(reader, { [unit]: price }, `${path}.price`);
  reader.wrong(`${path}.price`, price, 'a price per request, as a decimal string');
  return { kind: 'listed', request: null, rates: null };
}

function providerOf(slug: string): string {
  return slug.slice(0, slug.indexOf('/'));
}

function frozen<T extends readonly string[] | null>(words: T): T {
  return words === null ? words : (Object.freeze([...words]) as T);
}
