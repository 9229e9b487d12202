import { z } from 'zod';
import { SLUG } from '../catalog/catalog-member.js';
import { type Category, hostPriceOf, servedBy } from '../catalog/categories.js';
import { compilePrices } from '../catalog/compile-prices.js';
import type { DynamicPrice, FlatPrice, ModelRow, PriceRow, Provenance } from '../catalog/model-entry.js';
import { dynamicPriceSchema, modelOverrideSchema, positive, pricingSchema } from '../catalog/model-overrides.js';
import { createPriceReader } from '../catalog/price-reader.js';

/** The fields of a row that a host writes, beside those that every model has. */
const FIELDS = {
  answer: ['contextLength'],
  search: ['searchTypes', 'maxResults'],
  extract: [],
  rerank: ['maxDocuments', 'chunkTokens', 'maxInputTokens'],
  embedding: ['dimensions', 'vectorLengths', 'leastDimensions', 'maxInputTokens', 'maxRequestTokens'],
} as const satisfies Record<Category, readonly (keyof ModelRow)[]>;

/** The parts of a price that a call of each category is charged by. */
const PRICES: Readonly<Record<Category, readonly string[]>> = {
  answer: ['request'],
  search: ['request', 'perResult', 'includedResults', 'resultStep', 'perPage'],
  extract: ['request', 'perPage', 'heldPages'],
  rerank: ['request', 'perSearchUnit', 'perMillionTokens'],
  embedding: ['request', 'perMillionTokens'],
};
const DYNAMIC_PRICES = Object.keys(dynamicPriceSchema.shape);

/**
 * The price of a model that a host adds. Decimal strings, USD: a text is of a call, of an extract model of a page, of a rerank model of a search unit, of an
 * embedding model of a million tokens; an object has the parts of a price row, a dynamic price `typical` and `ceiling`. "0": the model is free.
 */
type ExtraPrice =
  | string
  | Omit<FlatPrice, 'kind' | 'validFrom' | keyof Provenance>
  | Omit<DynamicPrice, 'kind' | 'validFrom' | 'heldPerMillionInputTokens' | keyof Provenance>;

type RowFields = (typeof FIELDS)[Category][number];

/** A model that a host adds to a provider. The vendor's name of the model is the part of the slug behind the slash. */
export interface ExtraModel extends Pick<ModelRow, 'slug' | RowFields> {
  /** Which calls it serves. */
  readonly category: Category;
  /** Charged where the vendor reports no cost. */
  readonly price: ExtraPrice;
  /** Default: the part of the slug behind the slash. */
  readonly name?: string | undefined;
  /** One sentence for people who choose a model. Default: that the host added it. */
  readonly description?: string | undefined;
  /** What callers can use. Default: nothing. */
  readonly features?: readonly string[] | undefined;
  /** The deadline of an attempt in milliseconds, 1 to 3,600,000. Default 60,000. */
  readonly timeoutMs?: number | undefined;
}

const PRICE = 'a decimal string of US dollars such as "0.005", or an object of such strings';
const partsOfPrice = pricingSchema
  .extend(dynamicPriceSchema.partial().shape)
  .extend({ heldPages: positive.optional() });
const priceSchema = z.union([z.string(PRICE), partsOfPrice], PRICE);
type WrittenPrice = z.output<typeof priceSchema>;

/** The fields of a row of any category: {@link checkRow} tells which apply. */
export const extraModelShape = {
  ...modelOverrideSchema.omit({ hidden: true, price: true, pricing: true, provider: true, category: true }).shape,
  slug: z.string('a slug').max(128, 'a slug of at most 128 characters'),
  name: z.string('a name').trim().min(1, 'a name').max(256, 'a name of at most 256 characters').optional(),
  price: priceSchema,
  vectorLengths: z.array(positive, 'an array of lengths').min(1, 'at least one length').optional(),
  maxRequestTokens: positive.optional(),
  maxDocuments: positive.optional(),
  chunkTokens: positive.optional(),
};
const rowFields: readonly string[] = Object.values(FIELDS).flat();

type WrittenRow = z.output<z.ZodObject<typeof extraModelShape>>;

/** Where a row stands. */
interface Home {
  /** The provider's. */
  readonly id: string;
  readonly category: Category;
  /** Features of the category that the provider cannot give. Default: none. */
  readonly unserved?: readonly string[] | undefined;
}

/** Reports what is wrong with a row of a provider, as the catalog would. */
export function checkRow(row: WrittenRow, { id, category, unserved = [] }: Home, context: z.RefinementCtx): void {
  const wrong: Report = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
  if (!SLUG.test(row.slug) || !row.slug.startsWith(`${id}/`)) wrong(['slug'], `a slug of the form ${id}/<model>`);
  const served = servedBy(category).filter((feature) => !unserved.includes(feature));
  for (const [at, feature] of (row.features ?? []).entries())
    if (!served.includes(feature)) wrong(['features', at], `one of ${served.join(', ')}`);
  const fits: readonly string[] = FIELDS[category];
  for (const [field, value] of Object.entries(row))
    if (value !== undefined && rowFields.includes(field) && !fits.includes(field))
      wrong([field], `no ${field}, which does not apply to a model of category ${category}`);
  if (category === 'embedding' && row.dimensions === undefined) wrong(['dimensions'], 'the length of its vectors');
  const { dimensions = Number.POSITIVE_INFINITY, leastDimensions = 0, vectorLengths = [] } = row;
  if (leastDimensions > dimensions) wrong(['leastDimensions'], `at most ${dimensions}, the dimensions`);
  if (Math.max(...vectorLengths) > dimensions) wrong(['vectorLengths'], `at most ${dimensions}, the dimensions`);
  checkPrice(row.price, category, wrong);
}

type Report = (path: readonly PropertyKey[], message: string) => void;

function checkPrice(price: WrittenPrice, category: Category, wrong: Report): void {
  const written = typeof price === 'object' ? price : undefined;
  const fits = [...PRICES[category], ...(isDynamic(price) ? DYNAMIC_PRICES : [])];
  const unfit = Object.keys(written ?? {}).filter((part) => !fits.includes(part));
  for (const part of unfit) wrong(['price', part], `any of ${fits.join(', ')} for this model of category ${category}`);
  const isEmpty = written !== undefined && Object.keys(written).length === 0;
  if (isEmpty) wrong(['price'], `some of ${fits.join(', ')}`);
  if (isEmpty || unfit.length > 0) return;
  const reader = createPriceReader();
  compilePrices(reader, [priceRowOf(price, category)], '');
  for (const { path, expected } of reader.problems)
    wrong(['price', ...(written ? path.split('.').slice(1) : [])], expected);
}

function isDynamic(price: WrittenPrice): boolean {
  return typeof price === 'object' && ('typical' in price || 'ceiling' in price);
}

/** The beginning of time: nobody knows since when the price holds. */
const OF_HOST: Provenance = { source: 'the host', asOf: '1970-01-01', confidence: 'high' };

function priceRowOf(price: WrittenPrice, category: Category): PriceRow {
  if (typeof price !== 'string')
    return { kind: isDynamic(price) ? 'dynamic' : 'flat', ...price, ...OF_HOST } as PriceRow;
  return { kind: 'flat', [hostPriceOf(category) ?? 'request']: price, ...OF_HOST };
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** The row of a checked model. */
export function rowOf({ price, ...row }: WrittenRow, { id, category }: Home): ModelRow {
  const fields = Object.entries(row).filter(
    ([field, value]) => Object.hasOwn(extraModelShape, field) && value !== undefined,
  );
  return {
    name: row.slug.slice(id.length + 1),
    description: `A model of ${id} that the host added.`,
    features: [],
    contextLength: null,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    ...Object.fromEntries(fields),
    slug: row.slug,
    prices: [priceRowOf(price, category)],
  };
}

/** The setting `extraModels` of a provider whose requests of these categories name the model. The catalog refuses slugs that come twice. */
export function extraModelsSchema(id: string, categories: readonly Category[]) {
  const expected = `${categories.join(', ') || 'none'}: requests to ${id} name no other models`;
  const row = z
    .strictObject(
      { ...extraModelShape, category: z.enum(categories, expected) },
      'an object with slug, category and price',
    )
    .superRefine((given, context) => checkRow(given, { id, category: given.category }, context));
  return z.array(row, 'an array of models');
}
