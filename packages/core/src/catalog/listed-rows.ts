import type { FeatureFlag } from './feature-flags.js';
import listed from './listed-models.json' with { type: 'json' };
import type { Category, ModelEntry, ModelRow, Provenance, UnitRates, WrittenPricing } from './model-entry.js';

/** How a search finds pages. */
type SearchType = 'web' | 'neural' | 'keyword' | 'auto';

/** A row of the researched catalog. Fields that do not apply are absent; the provider is the first half of the id. */
export interface ListedRow
  extends Pick<ModelEntry, 'id' | 'name' | 'description'>,
    Pick<ModelRow, 'leastDimensions' | 'retiresOn' | 'replacement'>,
    Partial<Record<'maxResults' | 'dimensions' | 'maxInputTokens' | 'contextLength', number>> {
  /** USD before markup, plain decimal strings without trailing zeros; `"-1"` if only the upstream's reply tells the price. */
  readonly pricing: WrittenPricing & Pick<UnitRates, 'heldPages'>;
  readonly searchTypes?: readonly SearchType[];
  readonly features: readonly FeatureFlag[];
  /** The source of the facts. Never on the wire. */
  readonly provenance: Provenance;
}

/**
 * The researched models of all categories but `answer`, whose models come with their providers. Each has an adapter; where its provider is not configured, a
 * model is listed as not callable. Tests check the shape of every row, because the compiler cannot check JSON.
 *
 * A price per request covers up to ten results of a search, a query with at most 100 documents to sort, or a page of an extract.
 * Embeddings are priced per million input tokens; `dimensions` is the default length of their vectors.
 */
export const LISTED_ROWS = listed as unknown as Readonly<Record<Exclude<Category, 'answer'>, readonly ListedRow[]>>;
