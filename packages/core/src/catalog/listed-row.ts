import type { FeatureFlag } from './feature-flags.js';
import type { ModelEntry, Provenance, UnitRates, WrittenPricing } from './model-entry.js';

/** How a search finds pages. */
type SearchType = 'web' | 'neural' | 'keyword' | 'auto';

/** A row of the researched catalog. Fields that do not apply are absent; the provider is the first half of the id. */
export interface ListedRow
  extends Pick<ModelEntry, 'id' | 'name' | 'description'>,
    Partial<Record<'maxResults' | 'dimensions' | 'maxInputTokens' | 'contextLength', number>> {
  /** USD before markup, plain decimal strings without trailing zeros; `"-1"` if only the upstream's reply tells the price. */
  readonly pricing: WrittenPricing & Pick<UnitRates, 'heldPages'>;
  readonly searchTypes?: readonly SearchType[];
  readonly features: readonly FeatureFlag[];
  /** The source of the facts. Never on the wire. */
  readonly provenance: Provenance;
}
