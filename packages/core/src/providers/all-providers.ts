import { exa } from './exa/exa-provider.js';
import { perplexity } from './perplexity/perplexity-provider.js';
import type { Provider } from './provider.js';
import type { ProviderSettings } from './provider-settings.js';

/**
 * Every provider of this package by its id, for hosts that choose providers by configuration. A bundler keeps all of them: a host that knows
 * which ones it wants imports their factories instead.
 */
export const allProviders = {
  exa,
  perplexity,
} as const satisfies Readonly<Record<string, (settings: ProviderSettings) => Provider>>;
