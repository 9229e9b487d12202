import { registerArguments } from './registry/arguments.js';
import { registerKeys } from './registry/keys.js';
import { registerLists } from './registry/lists.js';
import { registerOrganizations } from './registry/organizations.js';
import { type ApiKeyRegistryConformanceOptions, createRegistrySuite } from './registry/registry-suite.js';
import { registerReopening } from './registry/reopening.js';

/**
 * The contract of `ApiKeyRegistry` as tests: every guarantee of the port's documentation. With `supports.connections`, what one handle
 * changes is looked for through another, and what is done at once is done through both.
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * apiKeyRegistryConformance({ describe, it, create: createMyRegistry, supports: { connections: true } });
 * ```
 *
 * Tests are independent of each other and may run concurrently.
 */
export function apiKeyRegistryConformance(options: ApiKeyRegistryConformanceOptions): void {
  const suite = createRegistrySuite(options);
  suite.describe('key registry contract', () => {
    registerKeys(suite);
    registerOrganizations(suite);
    registerLists(suite);
    registerArguments(suite);
    registerReopening(suite);
  });
}
