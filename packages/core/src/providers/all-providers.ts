import type { Provider } from '../provider-kit/provider.js';
import type { ProviderSettings } from '../provider-kit/provider-settings.js';
import { anthropic } from './anthropic/anthropic-provider.js';
import { brave } from './brave/brave-provider.js';
import { deepseek } from './deepseek/deepseek-provider.js';
import { desearch } from './desearch/desearch-provider.js';
import { exa } from './exa/exa-provider.js';
import { google } from './google/google-provider.js';
import { jina } from './jina/jina-provider.js';
import { kagi } from './kagi/kagi-provider.js';
import { linkup } from './linkup/linkup-provider.js';
import { mistral } from './mistral/mistral-provider.js';
import { openai } from './openai/openai-provider.js';
import { openrouter } from './openrouter/openrouter-provider.js';
import { parallel } from './parallel/parallel-provider.js';
import { perplexity } from './perplexity/perplexity-provider.js';
import { serpapi } from './serpapi/serpapi-provider.js';
import { tavily } from './tavily/tavily-provider.js';
import { valyu } from './valyu/valyu-provider.js';
import { xai } from './xai/xai-provider.js';
import { you } from './you/you-provider.js';
import { zai } from './zai/zai-provider.js';

/**
 * Every provider of this package by its id, for hosts that choose providers by configuration. A bundler keeps all of them: a host that knows
 * which ones it wants imports their factories instead.
 */
export const allProviders = {
  anthropic,
  brave,
  deepseek,
  desearch,
  exa,
  google,
  jina,
  kagi,
  linkup,
  mistral,
  openai,
  openrouter,
  parallel,
  perplexity,
  serpapi,
  tavily,
  valyu,
  xai,
  you,
  zai,
} as const satisfies Readonly<Record<string, (settings: ProviderSettings) => Provider>>;
