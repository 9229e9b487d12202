import { readConfigFile, type ServerConfig } from './config-file.js';
import { type ConfiguredKey, configuredKeys } from './configured-keys.js';
import { demoConfig } from './demo-config.js';
import { type DemoSecret, demoSecret } from './demo-secret.js';
import type { Environment, Settings } from './environment.js';
import { dataFolderOf } from './ledger/ledger-address.js';
import { problem } from './problems.js';

/** What a service runs with: the operator's configuration, or the demo. */
export interface ServiceConfig {
  readonly config: ServerConfig;
  /** The API keys of the configuration, checked. */
  readonly keys: readonly ConfiguredKey[];
  /** The demo's one key; `null` with a configuration of the operator's. */
  readonly demo: DemoSecret | null;
}

/** Reads the configuration, or makes one to try things with. @throws ConfigurationError listing what is wrong with it. */
export async function serviceConfig(
  { configFile, ledger, trustProxy }: Pick<Settings, 'configFile' | 'ledger' | 'trustProxy'>,
  environment: Environment,
): Promise<ServiceConfig> {
  const own = trustProxy === null ? {} : { trustProxy };
  if (configFile === null) {
    const demo = demoSecret(ledger.engine === 'memory' ? null : dataFolderOf(ledger));
    const config = { ...demoConfig(demo.secret), ...own };
    return { config, keys: await configuredKeys(config), demo };
  }
  const config = readConfigFile(configFile, environment);
  const keys = await configuredKeys(config);
  if (ledger.engine === 'memory' && keys.length === 0)
    throw problem('apiKeys', 'no keys', 'at least one key, since SEARCHGATE_LEDGER=memory keeps none from elsewhere');
  if (trustProxy !== null && config.trustProxy !== undefined)
    throw problem('trustProxy', 'a value', 'nothing: SEARCHGATE_TRUST_PROXY in the environment sets it');
  return { config: { ...config, ...own }, keys, demo: null };
}
