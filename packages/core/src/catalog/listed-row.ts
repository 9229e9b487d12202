import type { FeatureFlag } from './feature-flags.js';
import type { ListedPricing, ModelEntry, Provenance } from './model-entry.js';

/** How a search may go about finding pages. */
type SearchType = 'web' | 'neural' | 'keyword' | 'auto';

/** A model of the researched catalog as it is written down: what does not apply is left out, the provider is the first half of the id. */
export interface ListedRow
  extends Pick<ModelEntry, 'id' | 'name' | 'description'>,
    Partial<Record<'maxResults' | 'dimensions' | 'maxInputTokens' | 'contextLength', number>> {
  /** USD before markup, plain decimal strings without trailing zeros; `"-1"` where only the upstream's reply tells. */
  readonly pricing: Pick<ListedPricing, 'request' | 'perMillionTokens'>;
  readonly searchTypes?: readonly SearchType[];
  readonly features: readonly FeatureFlag[];
  /** Where the facts come from. Never on the wire. */
  readonly provenance: Provenance;
}
