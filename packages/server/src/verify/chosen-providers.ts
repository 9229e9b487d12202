import { CATEGORIES } from '@searchgate/core';
import { parseOptions } from '@searchgate/core/provider-kit';
import { localDocs } from '@searchgate-examples/local-docs-provider';
import { z } from 'zod';
import { createProviders, type ProviderConfigs, VENDORS } from '../create-providers.js';
import type { Environment } from '../environment.js';
import { problem } from '../problems.js';
import type { Target } from './planned-calls.js';

/** Stands for the documents of `local/docs`, which no vendor serves: the file may have settings for them. */
const OWN = localDocs({ documents: [{ source: 'verify', url: 'https://example.org/', markdown: '# Verify' }] });

const variableOf = (id: string) => `${id.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** The providers that a start would make, those of vendors, and the ids of those that have a key. @throws ConfigurationError as for a start, and for no vendor. */
export function configuredProviders(environment: Environment, configs: ProviderConfigs) {
  const providers = createProviders(environment, configs, [OWN]);
  const enabling = 'a key such as EXA_API_KEY in the environment, or a provider in the file of SEARCHGATE_CONFIG';
  if (providers.length === 1) throw problem('providers', 'none that is enabled', enabling);
  const isInFile = (id: string) => Object.keys(configs[id] ?? {}).some((field) => field.startsWith('apiKey'));
  const isKeyed = (id: string) => isInFile(id) || ['', 'S'].some((end) => environment[variableOf(id) + end]);
  const vendors = providers.filter(({ id }) => id !== OWN.id);
  return { providers, vendors, keyed: vendors.map(({ id }) => id).filter(isKeyed) };
}

/** The targets of the wanted providers, models and kinds. @throws ConfigurationError for a name that is none of them. */
export function chosenTargets(
  targets: readonly Target[],
  { only, kinds }: Readonly<Record<'only' | 'kinds', readonly string[]>>,
) {
  parseOptions(z.array(z.enum(CATEGORIES, `one of ${CATEGORIES.join(', ')}`)), kinds, '--kinds');
  const names = [...new Set(targets.flatMap(({ provider, row }) => [provider, row.slug]))];
  for (const name of only) {
    const [id = ''] = name.split('/');
    if (Object.hasOwn(VENDORS, id) && !names.includes(id))
      throw problem('--only', `${name}, which is not enabled`, `${variableOf(id)} in the environment`);
  }
  parseOptions(z.array(z.enum(names, 'a provider, or a model of one')), only, '--only');
  const isChosen = (list: readonly string[], ...own: string[]) =>
    list.length === 0 || own.some((each) => list.includes(each));
  const chosen = targets.filter(
    ({ provider, row, kind }) => isChosen(only, provider, row.slug) && isChosen(kinds, kind),
  );
  if (chosen.length === 0) throw problem('--kinds', kinds.join(', '), 'kinds that the providers serve');
  return chosen;
}
