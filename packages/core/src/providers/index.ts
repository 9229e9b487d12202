// The providers of this package, in order of the alphabet
export { allProviders } from './all-providers.js';
export { anthropic, type AnthropicSettings } from './anthropic/anthropic-provider.js';
export { brave, type BraveSettings } from './brave/brave-provider.js';
export { deepseek, type DeepseekSettings } from './deepseek/deepseek-provider.js';
export { desearch, type DesearchSettings } from './desearch/desearch-provider.js';
export { exa, type ExaSettings } from './exa/exa-provider.js';
export { google, type GoogleSettings } from './google/google-provider.js';
export { jina, type JinaSettings } from './jina/jina-provider.js';
export { kagi, type KagiSettings } from './kagi/kagi-provider.js';
export { linkup, type LinkupSettings } from './linkup/linkup-provider.js';
export { mistral, type MistralSettings } from './mistral/mistral-provider.js';
export { openai, type OpenaiSettings } from './openai/openai-provider.js';
export { openrouter, type OpenrouterSettings } from './openrouter/openrouter-provider.js';
export { parallel } from './parallel/parallel-provider.js';
export { perplexityLegacyAliases } from './perplexity/perplexity-models.js';
export { perplexity, type PerplexitySettings } from './perplexity/perplexity-provider.js';
export { serpapi, type SerpapiSettings } from './serpapi/serpapi-provider.js';
export { tavily, type TavilySettings } from './tavily/tavily-provider.js';
export { valyu, type ValyuSettings } from './valyu/valyu-provider.js';
export { xai, type XaiSettings } from './xai/xai-provider.js';
export { you, type YouSettings } from './you/you-provider.js';
export { zai, type ZaiSettings } from './zai/zai-provider.js';
export type { ApiKeySource, Connection, ProviderSettings } from '../provider-kit/provider-settings.js';

// What a provider is: everything needed to write one's own
export type { AnswerModel, DynamicPrice, FlatPrice, MeteredUsage, PriceRow } from '../catalog/model-entry.js';
export { UpstreamError } from '../errors/upstream-error.js';
export type { UpstreamPhase, UpstreamReason } from '../errors/reasons.js';
export type { UpstreamClient, UpstreamRequest, UpstreamResponse } from '../upstream/upstream-client.js';
export type { Citation } from '../citations/citation.js';
export type {
  AnswerAdapter,
  AnswerCall,
  AnswerContext,
  AnswerOutcome,
  OutcomeCost,
  Provider,
} from '../provider-kit/provider.js';

// What the providers above are made of, for one's own
export { composeAnswer, outcomeCost, type ReplyParts } from '../provider-kit/compose-answer.js';
export type { Source } from '../citations/collect-citations.js';
export {
  bearer,
  jsonEndpoint,
  type JsonEndpointOptions,
  type JsonReply,
  keyHeader,
} from '../provider-kit/json-endpoint.js';
export { commonSettings } from '../provider-kit/provider-settings.js';
export { optionalAmount, optionalList, optionalNumber, optionalText } from '../provider-kit/reply-fields.js';
export type { ErrorTable } from '../provider-kit/classify.js';
