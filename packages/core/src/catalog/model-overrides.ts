import { z } from 'zod';
import {
  CATEGORIES,
  type Category,
  type DynamicPrice,
  type ModelRow,
  type Provenance,
  type UnitRates,
  type WrittenPricing,
} from './model-entry.js';

/** The host's override of a known model, or a new model. Every field is optional; the applicable fields depend on the model. */
export interface ModelOverride extends Pick<ModelRow, 'searchTypes' | 'maxResults' | 'dimensions' | 'leastDimensions'> {
  /** `true`: the model is neither listed nor callable. */
  readonly hidden?: boolean | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Replaces all features. For an answer model only features that callers of this gateway can use. */
  readonly features?: readonly string[] | undefined;
  /** In tokens. */
  readonly contextLength?: number | undefined;
  /** Replaces all price rows of the model. For listed models only a price per request; see {@link pricing}. */
  readonly price?: HostPrice | undefined;

  /** Callable models only: the deadline of an attempt in milliseconds, from connect to the last byte; 1 to 3,600,000. */
  readonly timeoutMs?: number | undefined;
  /** Callable models only: ISO date (UTC) of the last real call without a fault, as `searchgate verify` finds it. Default: none. */
  readonly verifiedAt?: string | undefined;

  /** Required to add a model. Added models are listed but not callable: callable models come with their provider. */
  readonly category?: Category | undefined;
  /** Added models only: the provider; default: the first half of the slug. */
  readonly provider?: string | undefined;
  /** Listed models only: USD before markup, as decimal strings; `request: "-1"` if only the upstream's reply tells the price. */
  readonly pricing?: WrittenPricing | undefined;
  /** Listed models only, in tokens. */
  readonly maxInputTokens?: number | undefined;
}

/** The `models` option: overrides by slug. Prices are before markup. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

/**
 * A price set by the host: USD per call, of an extract model per page, of a model that sorts documents per search unit, of an embedding model per million
 * tokens, charged without change whatever cost the provider reports; or the figures of a dynamic price, for which the provider's report still comes first.
 */
export type HostPrice = string | HostDynamicPrice;

/** The figures of a dynamic price: decimal strings, USD, each as in the price row of a provider. */
export type HostDynamicPrice = Omit<
  DynamicPrice,
  'kind' | 'validFrom' | 'heldPerMillionInputTokens' | keyof Provenance | keyof UnitRates
>;

const MAX_TIMEOUT_MS = 3_600_000;
const text = z.string().trim().min(1, 'a text that is not empty');
const words = z.array(text);
export const positive = z.int('a whole number').min(1, 'a whole number of at least 1');

const figure = z.string('a decimal string of US dollars such as "0.005"');

export const dynamicPriceSchema = z.strictObject({
  typical: figure,
  ceiling: figure,
  perMillionInputTokens: figure.optional(),
  perMillionCachedInputTokens: figure.optional(),
  perMillionOutputTokens: figure.optional(),
  perSearch: figure.optional(),
});

export const pricingSchema = z.strictObject({
  request: z.string().optional(),
  perMillionTokens: z.string().optional(),
  perResult: z.string().optional(),
  includedResults: z.int().optional(),
  resultStep: z.int().optional(),
  perPage: z.string().optional(),
  perSearchUnit: z.string().optional(),
});

const optionalFigures = Object.keys(dynamicPriceSchema.shape).slice(2).join(', ');
const expectedPrice = `a decimal string of US dollars such as "0.005", or an object of such strings: typical, ceiling and any of ${optionalFigures}`;

export const modelOverrideSchema = z.strictObject({
  hidden: z.boolean().optional(),
  name: text.optional(),
  description: text.optional(),
  features: words.optional(),
  contextLength: positive.optional(),
  price: z.union([z.string(), dynamicPriceSchema], expectedPrice).optional(),
  timeoutMs: positive.max(MAX_TIMEOUT_MS, `at most ${MAX_TIMEOUT_MS} (an hour)`).optional(),
  verifiedAt: z.iso.date('an ISO date such as "2026-11-29"').optional(),
  category: z.enum(CATEGORIES, `one of ${CATEGORIES.join(', ')}`).optional(),
  provider: text.optional(),
  pricing: pricingSchema.optional(),
  searchTypes: words.optional(),
  maxResults: positive.optional(),
  dimensions: positive.optional(),
  leastDimensions: positive.optional(),
  maxInputTokens: positive.optional(),
});

/** Checks the shape of the `models` option; figures and slugs are checked by `buildCatalog`, which knows the models. */
export const modelOverridesSchema = z.record(z.string(), modelOverrideSchema) satisfies z.ZodType<ModelOverrides>;
