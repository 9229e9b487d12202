import { CATEGORIES } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
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

/** The providers that a start would make, and those of them that have a key. @throws ConfigurationError as for a start, and for no vendor. */
export function configuredProviders(environment: Environment, configs: ProviderConfigs) {
  const providers = createProviders(environment, configs, [OWN]);
  const enabling = 'a key such as EXA_API_KEY in the environment, or a provider in the file of SEARCHGATE_CONFIG';
  if (providers.length === 1) throw problem('providers', 'none that is enabled', enabling);
  const isInFile = (id: string) =>
    ['apiKey', 'apiKeys', 'apiKeyFile'].some((field) => Object.hasOwn(configs[id] ?? {}, field));
  const isKeyed = (id: string) => isInFile(id) || ['', 'S'].some((end) => environment[variableOf(id) + end]);
  return { providers, keyed: new Set(providers.map(({ id }) => id).filter(isKeyed)) };
}

/** The same providers, with a key that is wrong where there is one. */
export function withWrongKeys(environment: Environment, configs: ProviderConfigs, keyed: ReadonlySet<string>) {
  const changed = Object.entries(configs).map(([id, config]): [string, ProviderConfig] => {
    const none = { apiKeys: undefined, apiKeyFile: undefined, pick: undefined };
    return [id, defined({ ...config, ...none, apiKey: keyed.has(id) ? NO_KEY : undefined })];
  });
  const variables = new Map(Object.entries(environment));
  for (const [name, value] of Object.entries(environment)) {
    if (!value || !/_API_KEYS?$/.test(name)) continue;
    variables.delete(name);
    variables.set(name.replace(/S$/, ''), NO_KEY);
  }
  return createProviders(Object.fromEntries(variables), Object.fromEntries(changed), [OWN]);
}

/** The targets of the wanted providers, models and kinds. @throws ConfigurationError for a name that is none of them. */
export function chosenTargets(
  targets: readonly Target[],
  { only, kinds }: { readonly only: readonly string[]; readonly kinds: readonly string[] },
): Target[] {
  parseOptions(z.array(z.enum(CATEGORIES, `one of ${CATEGORIES.join(', ')}`)), kinds, '--kinds');
  const names = [...new Set(targets.flatMap(({ provider, row }) => [provider, row.slug]))];
  for (const name of only) {
    const [id = ''] = name.split('/');
    if (Object.hasOwn(VENDORS, id) && !names.includes(id))
      throw problem('--only', `${name}, which is not enabled`, `${variableOf(id)} in the environment`);
  }
  if (only.length > 0) parseOptions(z.array(z.enum(names, 'a provider, or a model of one')), only, '--only');
  const chosen = targets.filter(
    ({ provider, row, kind }) =>
      provider !== OWN.id &&
      (only.length === 0 || only.includes(provider) || only.includes(row.slug)) &&
      (kinds.length === 0 || kinds.includes(kind)),
  );
  if (chosen.length === 0) throw problem('--kinds', kinds.join(', '), 'kinds that the providers serve');
  return chosen;
}
