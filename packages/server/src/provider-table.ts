import type { Provider } from '@searchgate/core/provider-kit';
import { allProviders } from '@searchgate/core/providers';

/** How the environment enables a provider: `<NAME>_API_KEY`, and optionally `<NAME>_BASE_URL`. */
export interface ProviderEntry {
  readonly name: string;
  create(settings: { readonly apiKey: string; readonly baseUrl?: string }): Provider;
}

/** Every provider of the package. */
export const PROVIDER_TABLE: readonly ProviderEntry[] = Object.entries(allProviders).map(([id, create]) => ({
  name: id.toUpperCase().replaceAll('-', '_'),
  create,
}));
