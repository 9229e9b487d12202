import type { Provider } from '@searchgate/core/providers';
import { exa, perplexity } from '@searchgate/core/providers';

/** How the environment enables a provider: `<NAME>_API_KEY`, and optionally `<NAME>_BASE_URL`. */
export interface ProviderEntry {
  readonly name: string;
  create(settings: { readonly apiKey: string; readonly baseUrl?: string }): Provider;
}

/** Every provider that can be enabled. A new one is one line. */
export const PROVIDER_TABLE: readonly ProviderEntry[] = [
  { name: 'EXA', create: exa },
  { name: 'PERPLEXITY', create: perplexity },
];
