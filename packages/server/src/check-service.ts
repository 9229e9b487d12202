import { ConfigurationError, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { buildGateway } from './build-gateway.js';
import { readConfigFile } from './config-file.js';
import { configuredKeys } from './configured-keys.js';
import { type Environment, readEnvironment } from './environment.js';
import { describeAddress } from './ledger/ledger-address.js';
import { refuseTogether } from './service.js';

type Problems = ConfigurationError['problems'];

/** Stands for the documents of `local/docs`, which take a while to index. */
const DOCUMENTS = [{ source: 'check', url: 'https://example.org/', markdown: '# Check' }];

/**
 * Checks environment and configuration as a start would, without a start: nothing is written, and no ledger and no provider is asked.
 *
 * @returns what would be served. @throws ConfigurationError with all mistakes that can be found together.
 */
export async function checkService(environment: Environment): Promise<string> {
  const problems: Problems[number][] = [];
  async function attempt<T>(read: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  }

  const settings = await attempt(() => readEnvironment(environment));
  const path = environment['SEARCHGATE_CONFIG'];
  const config = path === undefined ? {} : await attempt(() => readConfigFile(path, environment));
  const keys = config && (await attempt(() => configuredKeys(config)));
  if (path !== undefined && settings && config && keys) await attempt(() => refuseTogether(settings, config, keys));
  const models = await attempt(async () => {
    if (!settings || !config) return 0;
    const providers = [localDocs({ documents: DOCUMENTS }), ...settings.providers];
    const parts = { providers, ledger: memoryLedger(), apiKeys: memoryApiKeys(), requests: memoryRequestLog() };
    const gateway = await buildGateway(config, parts);
    await gateway.close();
    return gateway.models({ callable: true }).length;
  });
  if (settings === undefined || problems.length > 0) throw new ConfigurationError(problems);
  const { organizations = [] } = config ?? {};
  return `Nothing is wrong. Models that can be called: ${models}; organizations in the file: ${organizations.length}; keys: ${keys?.length ?? 0}. Not asked: ${describeAddress(settings.ledger)}.`;
}
