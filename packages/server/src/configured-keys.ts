import { hashApiKey, memoryApiKeys } from '@searchgate/core';
import type { ApiKey, ApiKeyRecord } from '@searchgate/core/ledger';
import type { ServerConfig } from './config-file.js';
import { defined, type Problem, withPaths } from './problems.js';

/** A key from the configuration. */
export type ConfiguredKey = Omit<ApiKeyRecord, 'createdAtMs' | 'revokedAtMs'> & { readonly revoked: boolean };

/**
 * Reads the keys of a configuration by the rules of `memoryApiKeys`, in their order. An alias in an allow-list is replaced by its model: a gateway
 * compares slugs, and would lock such a key out.
 *
 * @throws ConfigurationError with the paths of the configuration file.
 */
export async function configuredKeys(config: Pick<ServerConfig, 'apiKeys' | 'aliases'>): Promise<ConfiguredKey[]> {
  const { apiKeys = [], aliases = {} } = config;
  const slugs = new Map(Object.entries(aliases));
  const store = withPaths(configPath, () =>
    memoryApiKeys(
      apiKeys.map(({ secret, allowedModels, budgets: _budgets, domains: _domains, ...key }) =>
        defined({ ...key, apiKey: secret, allowedModels: allowedModels && slugsOf(allowedModels, slugs) }),
      ),
    ),
  );
  const keys: ConfiguredKey[] = [];
  for (const { secret, secretHash = '', budgets = [], domains = null } of apiKeys) {
    const hash = secret === undefined ? secretHash : hashApiKey(secret);
    const found = await store.findByHash(hash);
    if (found === undefined) throw new Error('memoryApiKeys lost a key');
    keys.push({ ...keyOf(found, hash), budgets, domains });
  }
  return keys;
}

/** Keys that could never be used: their date is past, and they are not said to be revoked. */
export function expiredKeys(keys: readonly ConfiguredKey[], nowMs: number): (Problem & { readonly index: number })[] {
  return keys.flatMap(({ expiresAtMs, revoked }, index) => {
    if (revoked || expiresAtMs === null || expiresAtMs > nowMs) return [];
    const expected = 'a time to come; or "revoked": true for a key of the past';
    return [{ index, path: `apiKeys[${index}].expiresAt`, found: new Date(expiresAtMs).toISOString(), expected }];
  });
}

/** The fields of the key itself. Other fields belong to the organization; a key stores only its id. */
function keyOf(found: ApiKey, hash: string): Omit<ConfiguredKey, 'budgets' | 'domains'> {
  const {
    operatorPays: _operatorPays,
    organizationSuspended: _suspended,
    organizationRateLimit: _rateLimit,
    organizationMaxConcurrent: _maxConcurrent,
    budgets: _budgets,
    domains: _domains,
    revokedAtMs,
    ...key
  } = found;
  return { ...key, hash, revoked: revokedAtMs !== null };
}

function slugsOf(models: readonly string[], slugs: ReadonlyMap<string, string>): string[] {
  return [...new Set(models.map((model) => slugs.get(model) ?? model))];
}

function configPath(path: string): string {
  return path.replace(/^memoryApiKeys/, 'apiKeys').replace(/\.apiKey$/, '.secret');
}
