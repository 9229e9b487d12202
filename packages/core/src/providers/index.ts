// The factories of all built-in providers in alphabetical order, one line each. Every exported value is a factory, named by the id of its provider: a host
// that chooses providers by configuration can use the whole entry as a table.
export { anthropic, type AnthropicSettings } from './anthropic/anthropic-provider.js';
export { brave, type BraveSettings } from './brave/brave-provider.js';
export { deepseek, type DeepseekSettings } from './deepseek/deepseek-provider.js';
export { desearch, type DesearchSettings } from './desearch/desearch-provider.js';
export { exa, type ExaSettings } from './exa/exa-provider.js';
export { firecrawl, type FirecrawlSettings } from './firecrawl/firecrawl-provider.js';
export { google, type GoogleSettings } from './google/google-provider.js';
export { jina, type JinaSettings } from './jina/jina-provider.js';
export { kagi, type KagiSettings } from './kagi/kagi-provider.js';
export { linkup, type LinkupSettings } from './linkup/linkup-provider.js';
export { mistral, type MistralSettings } from './mistral/mistral-provider.js';
export { openai, type OpenaiSettings } from './openai/openai-provider.js';
export { openrouter, type OpenrouterSettings } from './openrouter/openrouter-provider.js';
export { parallel } from './parallel/parallel-provider.js';
export { perplexity, type PerplexitySettings } from './perplexity/perplexity-provider.js';
export { serpapi, type SerpapiSettings } from './serpapi/serpapi-provider.js';
export { serper, type SerperSettings } from './serper/serper-provider.js';
export { tavily, type TavilySettings } from './tavily/tavily-provider.js';
export { valyu, type ValyuSettings } from './valyu/valyu-provider.js';
export { xai, type XaiSettings } from './xai/xai-provider.js';
export { you, type YouSettings } from './you/you-provider.js';
export { zai, type ZaiSettings } from './zai/zai-provider.js';
export type { ApiKeySource, Connection, ProviderSettings } from '../provider-kit/provider-settings.js';
