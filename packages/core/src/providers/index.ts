// The providers of this package, in order of the alphabet
export { allProviders } from './all-providers.js';
export { exa, type ExaSettings } from './exa/exa-provider.js';
export { perplexityLegacyAliases } from './perplexity/perplexity-models.js';
export { perplexity, type PerplexitySettings } from './perplexity/perplexity-provider.js';
export type { ApiKeySource, ProviderSettings } from './provider-settings.js';

// What a provider is: everything needed to write one's own
export type { AnswerModel, DynamicPrice, FlatPrice, MeteredUsage, PriceRow } from '../catalog/model-entry.js';
export { UpstreamError, type UpstreamPhase, type UpstreamReason } from '../errors.js';
export type { UpstreamClient, UpstreamRequest, UpstreamResponse } from '../upstream/upstream-client.js';
export type {
  AnswerAdapter,
  AnswerCall,
  AnswerContext,
  AnswerOutcome,
  Citation,
  OutcomeCost,
  Provider,
} from './provider.js';
