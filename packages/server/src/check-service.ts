import { ConfigurationError, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { memoryRequestLog } from '@searchgate/core/ledger';
import type { KindPorts } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { buildGateway } from './build-gateway.js';
import { parseConfig, type ServerConfig } from './config-file.js';
import { type ConfiguredKey, configuredKeys, expiredKeys } from './configured-keys.js';
import { createProviders } from './create-providers.js';
import {
  type Environment,
  KEEPS_TENANT_KEYS,
  readEnvironment,
  type Settings,
  TENANT_KEYS_SECRET,
} from './environment.js';
import { readJsonFile } from './json-file.js';
import { describeAddress } from './ledger/ledger-address.js';
import { type Problem, problem, refuse } from './problems.js';
import { createRepair, STAND_IN_KEY } from './repair.js';
import { checkTracing } from './tracing.js';
import { unreadVariables } from './unread-variables.js';

/** The variables without which other settings are wrong. */
const STANDS_IN = new RegExp(`_API_KEYS?$|^${TENANT_KEYS_SECRET}$`);
const STAND_IN_SECRET = Buffer.alloc(32).toString('base64');
/** Stands for the documents of `local/docs`, which take a while to index. */
const DOCUMENTS = [{ source: 'check', url: 'https://example.org/', markdown: '# Check' }];

/**
 * Checks environment and configuration as a start would, without a start: nothing is written, and no ledger and no provider is asked.
 *
 * @returns what would be served. @throws ConfigurationError with all mistakes.
 */
export async function checkService(environment: Environment): Promise<string> {
  const { problems, summary } = await checkEverything(environment);
  refuse(problems);
  return summary;
}

/** All mistakes, where a start has found the first ones. @param localPorts as in the options of the service. */
export async function mistakesOf(
  environment: Environment,
  { problems: first }: ConfigurationError,
  localPorts?: KindPorts,
) {
  const { problems } = await checkEverything(environment, localPorts);
  const known = new Set(problems.map(({ path }) => path));
  return new ConfigurationError([...first.filter(({ path }) => !known.has(path)), ...problems]);
}

/**
 * A wrong value hides the mistakes that later checks would find. So what is wrong is taken out of environment and file, and everything is checked again
 * until nothing new is found.
 */
async function checkEverything(
  given: Environment,
  localPorts?: KindPorts,
): Promise<{ problems: Problem[]; summary: string }> {
  const variables: Record<string, string | undefined> = { ...given };
  const problems: Problem[] = [];
  const { content = {}, error } = contentOf(given['SEARCHGATE_CONFIG']);
  if (error !== undefined) {
    problems.push(...error.problems);
    delete variables['SEARCHGATE_CONFIG'];
  }
  const inFile = createRepair(content);
  const inEnvironment = createRepair(variables);
  const keys = new Set(Object.keys(given).filter((name) => STANDS_IN.test(name) && given[name]));
  for (;;) {
    const { found, summary } = await checkOnce(variables, { content, localPorts });
    const isVariable = ({ path }: Problem) => Object.hasOwn(given, path);
    const news = [
      inEnvironment.takeOut(found.filter(isVariable)),
      inFile.takeOut(found.filter((each) => !isVariable(each))),
    ];
    for (const name of keys) {
      if (variables[name] !== undefined) continue;
      // Once: beside another variable of the provider, a key that stands in is wrong too.
      keys.delete(name);
      variables[name] = name === TENANT_KEYS_SECRET ? STAND_IN_SECRET : STAND_IN_KEY;
    }
    if (news.every((each) => each === undefined)) return { problems, summary };
    problems.push(...news.flatMap((each) => each ?? []));
  }
}

/** The configuration file as it stands, or why it cannot be read. */
export function contentOf(path: string | undefined): { content?: unknown; error?: ConfigurationError } {
  try {
    return path ? { content: readJsonFile(path) } : {};
  } catch (error) {
    if (error instanceof ConfigurationError) return { error };
    throw error;
  }
}

/** One run of all checks that can run. */
async function checkOnce(
  environment: Environment,
  { content, localPorts }: { content: unknown; localPorts: KindPorts | undefined },
): Promise<{ found: Problem[]; summary: string }> {
  const found: Problem[] = [];
  async function attempt<T>(read: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      found.push(...error.problems);
      return undefined;
    }
  }

  const settings = await attempt(() => readEnvironment(environment));
  const config = await attempt(() => parseConfig(content, environment));
  const keys = config && (await attempt(() => configuredKeys(config)));
  await attempt(() => refuse(expiredKeys(keys ?? [], Date.now())));
  if (settings?.configFile && config && keys) await attempt(() => refuseTogether(settings, config, keys));
  const own = [{ ...localDocs({ documents: DOCUMENTS }), ...localPorts }];
  const providers = config && (await attempt(() => createProviders(environment, config, own)));
  await attempt(() => checkTracing(environment));
  const served = await attempt(async () => {
    if (!providers) return undefined;
    const parts = { providers, ledger: memoryLedger(), apiKeys: memoryApiKeys(), requests: memoryRequestLog() };
    const tenantKeys = settings?.tenantKeysSecrets ? { find: () => Promise.resolve(undefined) } : undefined;
    const gateway = await buildGateway(config, { ...parts, tenantKeys });
    await gateway.close();
    return { models: gateway.models({ callable: true }).length, providers: gateway.status().providers };
  });
  const { organizations = [], budgets = [] } = config ?? {};
  const summary = `Nothing is wrong. Models that can be called: ${served?.models ?? 0}; organizations in the file: ${organizations.length}; keys: ${keys?.length ?? 0}; budgets: ${budgets.length}. Not asked: ${settings && describeAddress(settings.ledger)}.`;
  const ofProviders = (served?.providers ?? []).flatMap(({ id, keys: named }) =>
    named === undefined ? [] : [`Keys of ${id}: ${named.map(({ name, state }) => `${name} (${state})`).join(', ')}.`],
  );
  return { found, summary: [summary, ...ofProviders, ...unreadVariables(environment, config ?? {})].join('\n') };
}

/** What environment and file may not say together. @throws ConfigurationError naming it. */
export function refuseTogether(
  {
    ledger,
    ...settings
  }: Pick<Settings, 'ledger' | 'tenantKeysSecrets' | 'trustProxy' | 'adminOrganization' | 'drainDelayMs'>,
  config: ServerConfig,
  keys: readonly ConfiguredKey[],
): void {
  if (ledger.engine === 'memory' && keys.length === 0)
    throw problem('apiKeys', 'no keys', 'at least one key, since SEARCHGATE_LEDGER=memory has no other keys');
  if (ledger.engine === 'redis' && settings.tenantKeysSecrets !== null)
    throw problem(TENANT_KEYS_SECRET, 'a value beside a ledger in Redis', KEEPS_TENANT_KEYS);
  if (config.byok !== undefined && settings.tenantKeysSecrets === null)
    throw problem('byok', 'a value', `nothing without ${TENANT_KEYS_SECRET} in the environment`);
  const twice = [
    ['trustProxy', 'SEARCHGATE_TRUST_PROXY'],
    ['adminOrganization', 'SEARCHGATE_ADMIN_ORGANIZATION'],
    ['drainDelayMs', 'SEARCHGATE_DRAIN_DELAY_MS'],
  ] as const;
  refuse(
    twice
      .filter(([path]) => settings[path] !== null && config[path] !== undefined)
      .map(([path, variable]) => ({
        path,
        found: 'a value',
        expected: `nothing: ${variable} in the environment sets it`,
      })),
  );
}
