import type { Provider } from '../../packages/core/src/provider-kit/provider.js';
import * as allProviders from '../../packages/core/src/providers/index.js';

/** Every provider of core with default settings, for facts that need no request. */
export function everyProvider(): Provider[] {
  return Object.values(allProviders).map((create) => create({ apiKey: 'not-a-key' }));
}
