import { readFileSync } from 'node:fs';
import { type ComposedModel, composed } from '@searchgate/composed';
import { ConfigurationError } from '@searchgate/core';
import type { ModelRow, Provider, ProviderSettings } from '@searchgate/core/provider-kit';
import * as allProviders from '@searchgate/core/providers';
import type { Environment } from './environment.js';
import { type Problem, pathOf, problem, refuse, withPaths } from './problems.js';

/** The settings of a provider in the file: those of its factory, where the key may be in a file of its own. */
export interface ProviderConfig extends Omit<ProviderSettings, 'apiKey'> {
  /** A service of the host, whose name is the id. Default: the provider of this name. */
  readonly type?: 'openai-compatible' | undefined;
  readonly apiKey?: string | undefined;
  /** A file with the key, such as `/run/secrets/exa`. Read again at each reload. */
  readonly apiKeyFile?: string | undefined;
}

export type ProviderConfigs = Readonly<Record<string, ProviderConfig>>;

/** The file, as far as it makes providers. */
export interface ProvidersConfig {
  readonly providers?: ProviderConfigs | undefined;
  /** Models that are made of others, by the id of their provider and their name. */
  readonly composed?: Readonly<Record<string, Readonly<Record<string, ComposedModel>>>> | undefined;
}

type Factory = (settings: ProviderSettings) => Provider;

const { openAiCompatible, searxng, ...vendors } = allProviders;
/** The factories of all vendors by id: a key enables each. */
export const VENDORS: Readonly<Record<string, Factory>> = vendors;
/** Every vendor, with a key of no account: for what is known of them. */
export const vendorProviders = (): Provider[] =>
  Object.values(VENDORS).map((create) => create({ apiKey: 'any-key-of-an-account' }));
/** The models of a provider, of every kind. */
export function modelsOf(answers: Provider): ModelRow[] {
  const { search, extract, rerank, embed } = answers;
  return [answers, search, extract, rerank, embed].flatMap((port) => port?.models ?? []);
}
/** What an address enables. */
const BY_ADDRESS: Readonly<Record<string, Factory>> = { searxng: searxng as Factory };

/** Each provider that may be made: those of the package, and the services of the file. */
function candidates(configs: ProviderConfigs): Omit<Made, 'environment' | 'config'>[] {
  const named = Object.entries({ ...VENDORS, ...BY_ADDRESS }).map(([id, create]) => ({ id, create }));
  const services = Object.entries(configs)
    .filter(([, { type }]) => type !== undefined)
    .map(([id]) => ({
      id,
      create: (settings: ProviderSettings) =>
        openAiCompatible({ ...settings, id } as Parameters<typeof openAiCompatible>[0]),
    }));
  return [...named.filter(({ id }) => configs[id]?.type === undefined), ...services];
}

/**
 * Makes the providers that have a key: `<NAME>_API_KEY`, or `<NAME>_API_KEYS` with commas between several, and `<NAME>_BASE_URL` of the environment, or the
 * settings of the file, which come first. Those that need no key are made where an address is given, and the services of the file in any case.
 *
 * @param own providers of the service itself, which need no key: the file can only limit them, and state their policies.
 * @throws ConfigurationError naming each wrong variable and field.
 */
export function createProviders(
  environment: Environment,
  { providers: configs = {}, composed: recipes }: ProvidersConfig,
  own: readonly Provider[],
): Provider[] {
  const problems: Problem[] = [];
  function attempt(make: () => readonly Provider[]): readonly Provider[] {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  }
  const made = candidates(configs).flatMap(({ id, create }) =>
    attempt(() => createProvider({ id, create, environment, config: configs[id] })),
  );
  const ofParts = attempt(() => composedProviders(recipes ?? recipesOf(environment, [...own, ...made])));
  const providers = [...[...own, ...ofParts].map((each) => withSettings(each, configs[each.id])), ...made];
  const ids = providers.map(({ id }) => id);
  const isMade = (id: string) =>
    ids.includes(id) || problems.some(({ path }) => path.startsWith(pathOf('providers', id)));
  refuse([
    ...problems,
    // A mistyped id must be an error, or its provider would have no limit.
    ...Object.keys(configs)
      .filter((id) => !isMade(id))
      .map((id) => ({
        path: pathOf('providers', id),
        found: 'a provider that is not enabled',
        expected: `one of ${ids.join(', ')}, or one with a key`,
      })),
  ]);
  return providers;
}

/** @throws ConfigurationError with the paths of the file. */
function composedProviders(recipes: NonNullable<ProvidersConfig['composed']>): Provider[] {
  return Object.entries(recipes).map(([id, models]) => {
    const path = pathOf('composed', id);
    if (Object.hasOwn({ ...VENDORS, ...BY_ADDRESS }, id)) throw problem(path, 'the id of a vendor', 'another id');
    // The fields begin with the id, or with the name of the package where the id is wrong.
    return withPaths(
      (field) => path + field.replace(/^[^.]*\.(?:models|id)/, ''),
      () => composed({ id, models }),
    );
  });
}

/** The model `ask/web`, where there is a SearXNG and the address of a chat server; its passages are sorted by the service's own model, if there is one. */
function recipesOf(environment: Environment, providers: readonly Provider[]): NonNullable<ProvidersConfig['composed']> {
  const { CHAT_BASE_URL: baseUrl, CHAT_MODEL: model, CHAT_API_KEY: apiKey } = environment;
  if (!baseUrl) return {};
  if (!URL.canParse(baseUrl))
    throw problem('CHAT_BASE_URL', 'a text', 'an http(s) URL such as "http://127.0.0.1:11434/v1"');
  if (!providers.some(({ id }) => id === 'searxng'))
    throw problem(
      'CHAT_BASE_URL',
      'the address of a chat server alone',
      'the address of a SearXNG in SEARXNG_BASE_URL too',
    );
  if (!model) throw problem('CHAT_MODEL', 'nothing', `the name of a model at ${new URL(baseUrl).host}`);
  const rerank = providers.find(({ id }) => id === 'local')?.rerank?.models[0]?.slug;
  return { ask: { web: { search: 'searxng/search', rerank, chat: { baseUrl, model, apiKey: apiKey || undefined } } } };
}

interface Made {
  readonly id: string;
  readonly create: Factory;
  readonly environment: Environment;
  readonly config: ProviderConfig | undefined;
}

function createProvider({ id, create, environment, config }: Made): Provider[] {
  const name = id.toUpperCase().replaceAll('-', '_');
  const { apiKeyFile, type, ...settings } = config ?? {};
  const path = pathOf('providers', id);
  if (type !== undefined && Object.hasOwn(VENDORS, id))
    throw problem(path, 'a service with the id of a vendor', 'another id');
  if (apiKeyFile !== undefined && settings.apiKey !== undefined)
    throw problem(`${path}.apiKeyFile`, 'a value beside apiKey', 'one of them');
  const ownKey = apiKeyFile === undefined ? settings.apiKey : readKey(`${path}.apiKeyFile`, apiKeyFile);
  const isInFile = (ownKey ?? settings.apiKeys) !== undefined;
  const listed = environment[`${name}_API_KEYS`] || undefined;
  const ofEnvironment = {
    apiKey: environment[`${name}_API_KEY`] || undefined,
    apiKeys: listed?.split(',').map((key) => ({ key })),
  };
  const keys = isInFile ? { apiKey: ownKey, apiKeys: settings.apiKeys } : ofEnvironment;
  const baseUrl = settings.baseUrl ?? (environment[`${name}_BASE_URL`] || undefined);
  // Without a key the address is ignored: other programs use variables such as OPENAI_BASE_URL too.
  if (type === undefined && (Object.hasOwn(BY_ADDRESS, id) ? baseUrl : (keys.apiKey ?? keys.apiKeys)) === undefined)
    return [];
  const placeOf = (field: string) => {
    // A service with a wrong id is named by its factory.
    const inFile = path + field.replace(/^[^.[]+/, '');
    if (field.startsWith(`${id}.apiKeys`) && !isInFile) return `${name}_API_KEYS`;
    if (field.endsWith('.apiKey') && ownKey === undefined) return `${name}_API_KEY`;
    if (field.endsWith('.apiKey') && apiKeyFile !== undefined) return `${path}.apiKeyFile`;
    const isOfVariable = baseUrl !== undefined && settings.baseUrl === undefined;
    return field.endsWith('.baseUrl') && isOfVariable ? `${name}_BASE_URL` : inFile;
  };
  const given = { ...settings, ...keys, ...(baseUrl !== undefined && { baseUrl }) };
  return [withPaths(placeOf, () => create(given as ProviderSettings))];
}

function readKey(path: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw problem(path, `${JSON.stringify(file)} (${(error as NodeJS.ErrnoException).code})`, 'a file with the key');
  }
}

/** The host's own provider with its settings of the file. */
function withSettings(provider: Provider, config: ProviderConfig | undefined): Provider {
  const { policies, ...limits } = config ?? {};
  return config === undefined ? provider : { ...provider, limits, policies };
}
