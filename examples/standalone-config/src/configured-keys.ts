import { hashApiKey, memoryApiKeys } from '@searchgate/core';
import type { ApiKeyRecord } from '@searchgate/core/ledger';
import type { StandaloneConfig } from './config-file.js';
import { defined, withPaths } from './problems.js';

/** A key as the configuration wants it. */
export type ConfiguredKey = Omit<ApiKeyRecord, 'createdAtMs' | 'revokedAtMs'> & { readonly revoked: boolean };

/**
 * Reads the keys of a configuration by the rules of `memoryApiKeys`, in their order.
 *
 * @throws ConfigurationError with the paths of the configuration file.
 */
export async function configuredKeys(apiKeys: StandaloneConfig['apiKeys'] = []): Promise<ConfiguredKey[]> {
  const store = withPaths(configPath, () =>
    memoryApiKeys(apiKeys.map(({ secret, ...key }) => defined({ ...key, apiKey: secret }))),
  );
  const keys: ConfiguredKey[] = [];
  for (const { secret, secretHash = '' } of apiKeys) {
    const hash = secret === undefined ? secretHash : hashApiKey(secret);
    const found = await store.findByHash(hash);
    if (found === undefined) throw new Error('memoryApiKeys lost a key');
    const { organizationSuspended: _, revokedAtMs, ...key } = found;
    keys.push({ ...key, hash, revoked: revokedAtMs !== null });
  }
  return keys;
}

function configPath(path: string): string {
  return path.replace(/^memoryApiKeys/, 'apiKeys').replace(/\.apiKey$/, '.secret');
}
