import { ConfigurationError } from '@searchgate/core';
import { type Provider, parseOptions } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { z } from 'zod';
import { createProviders, type ProviderConfig, type ProviderConfigs, VENDORS } from '../create-providers.js';
import type { Environment } from '../environment.js';
import { defined, problem } from '../problems.js';
import type { Target } from './planned-calls.js';

/** Stands for the documents of `local/docs`, which no vendor serves: the file may have settings for them. */
const OWN = localDocs({ documents: [{ source: 'verify', url: 'https://example.org/', markdown: '# Verify' }] });

/** A key that no vendor has given to anyone. */
const NO_KEY = 'searchgate-verify-wrong-key';

const variableOf = (id: string) => `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** The providers that a start would make. @throws ConfigurationError as for a start. */
export function configuredProviders(environment: Environment, configs: ProviderConfigs): Provider[] {
  return createProviders(environment, configs, [OWN]).filter(({ id }) => id !== OWN.id);
}

/** The same providers with a key that is wrong; those without a key are left out. */
export function withWrongKeys(environment: Environment, configs: ProviderConfigs): Provider[] {
  const isInFile = (id: string) =>
    ['apiKey', 'apiKeys', 'apiKeyFile'].some((field) => Object.hasOwn(configs[id] ?? {}, field));
  const keyed = (id: string) => isInFile(id) || ['', 'S'].some((end) => environment[variableOf(id) + end]);
  const changed: Record<string, ProviderConfig> = {};
  for (const [id, config] of Object.entries(configs)) {
    const none = { apiKey: keyed(id) ? NO_KEY : undefined, apiKeys: undefined, apiKeyFile: undefined, pick: undefined };
    changed[id] = defined({ ...config, ...none });
  }
  const variables: Record<string, string | undefined> = { ...environment };
  for (const name of Object.keys(environment).filter((each) => /_API_KEYS?$/.test(each) && environment[each])) {
    variables[name] = undefined;
    variables[name.replace(/S$/, '')] = NO_KEY;
  }
  return configuredProviders(variables, changed).filter(({ id }) => keyed(id));
}

/** The targets of the wanted providers, models and kinds. @throws ConfigurationError for a name that is none of them. */
export function chosenTargets(
  targets: readonly Target[],
  { only, kinds }: { readonly only: readonly string[]; readonly kinds: readonly string[] },
): Target[] {
  const names = [...new Set(targets.flatMap(({ provider, row }) => [provider, row.slug]))];
  const disabled = only.find(
    (name) =>
      !names.includes(name) &&
      Object.hasOwn(VENDORS, name.split('/')[0] ?? '') &&
      !names.includes(name.split('/')[0] ?? ''),
  );
  if (disabled !== undefined)
    throw problem(
      '--only',
      `${disabled}, which is not enabled`,
      `${variableOf(disabled.split('/')[0] ?? '')} in the environment`,
    );
  if (only.length > 0) parseOptions(z.array(z.enum(names, 'a provider, or a model of one')), only, '--only');
  return targets.filter(
    ({ provider, row, kind }) =>
      (only.length === 0 || only.includes(provider) || only.includes(row.slug)) &&
      (kinds.length === 0 || kinds.includes(kind)),
  );
}

/** @throws ConfigurationError that says what enables a provider. */
export function refuseNone(providers: readonly Provider[]): void {
  if (providers.length > 0) return;
  const expected = 'a key such as EXA_API_KEY in the environment, or a provider in the file of SEARCHGATE_CONFIG';
  throw new ConfigurationError([{ path: 'providers', found: 'none that is enabled', expected }]);
}
